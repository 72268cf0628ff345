/** The address if a browser may open it: adverts hold whatever was sent. */
export function safeUrl(text: string | null | undefined): string | null {
  if (!text) return null;
  try {
    const url = new URL(text);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
  } catch {
    return null;
  }
}

/** Characters that change the direction of what follows, or cannot be seen, have no place in a short text. */
export function plain(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, ' ').trim();
}
