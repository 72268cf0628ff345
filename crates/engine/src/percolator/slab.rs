//! Things by number. The number of a thing that is taken out is given to the next one.

#[derive(Debug)]
pub struct Slab<T> {
    slots: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    pub fn put(&mut self, thing: T) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.slots[number as usize] = Some(thing);
                number
            }
            None => {
                self.slots.push(Some(thing));
                self.slots.len() as u32 - 1
            }
        }
    }

    pub fn take(&mut self, number: u32) -> Option<T> {
        let thing = self.slots.get_mut(number as usize)?.take()?;
        self.free.push(number);
        Some(thing)
    }

    pub fn get(&self, number: u32) -> Option<&T> {
        self.slots.get(number as usize)?.as_ref()
    }

    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.slots.get_mut(number as usize)?.as_mut()
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().flatten()
    }

    /// One more than the largest number given so far.
    pub fn span(&self) -> usize {
        self.slots.len()
    }

    /// Memory, without what the things themselves hold elsewhere.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Option<T>>() + self.free.capacity() * size_of::<u32>()
    }
}
