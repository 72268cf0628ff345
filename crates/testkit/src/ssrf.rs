//! Endpoints that must be refused (SSRF corpus): private addresses in every spelling, and names that resolve to
//! them.
//!
//! Every test that takes an endpoint from a user runs through this corpus: creating and changing a search, the
//! webhook tester, the sender. Loopback endpoints use a port on which the test listens to detect connections.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Refused IPv4 addresses of every kind; `forms` writes each one in many ways.
const V4: &[[u8; 4]] = &[
    [127, 0, 0, 1],
    [127, 0, 0, 2],
    [127, 255, 255, 254],
    [0, 0, 0, 0],
    [10, 0, 0, 1],
    [100, 64, 0, 1],
    [100, 100, 100, 200],
    [168, 63, 129, 16],
    [169, 254, 169, 254],
    [172, 16, 0, 1],
    [172, 31, 255, 255],
    [192, 168, 1, 1],
];

/// Further refused addresses, written once.
const V4_PLAIN: &[&str] = &[
    "0.255.255.255",
    "100.127.255.255",
    "169.254.0.1",
    "172.20.10.2",
    "192.0.0.1",
    "192.0.0.170",
    "192.0.2.1",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.1",
    "192.175.48.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
];

const V6: &[&str] = &[
    "::",
    "::1",
    "::2",
    "0:0:0:0:0:0:0:1",
    "0000:0000:0000:0000:0000:0000:0000:0001",
    "0::1",
    "::0.0.0.1",
    "::ffff:0:0",
    "64:ff9b::",
    "64:ff9b:1::a00:1",
    "64:ff9b:1:fffe::7f00:1",
    "100::1",
    "100:0:0:1::1",
    "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001::",
    "2001:1::1",
    "2001:2::1",
    "2001:3::1",
    "2001:4:112::1",
    "2001:10::1",
    "2001:20::1",
    "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
    "2001:db8::1",
    "2001:DB8:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF",
    "2002::1",
    "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "3fff::1",
    "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
    "4000::1",
    "5f00::1",
    "8000::1",
    "fc00::1",
    "fd00:ec2::254",
    "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    "fe80::1",
    "fe80::5efe:7f00:1",
    "febf::1",
    "fec0::1",
    "feff::1",
    "ff00::1",
    "ff02::1",
    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
];

/// Hosts that are refused without resolving them.
const HOSTS: &[&str] = &[
    // Local names, in several spellings.
    "localhost",
    "LOCALHOST",
    "LocalHost",
    "localhost.",
    "ｌｏｃａｌｈｏｓｔ",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "lo%63alhost",
    "%6c%6f%63%61%6c%68%6f%73%74",
    "%6C%6F%63%61%6C%68%6F%73%74",
    "local\u{ad}host",
    "a.localhost",
    "A.B.LOCALHOST.",
    "localhost.localdomain.local",
    "printer.local",
    "printer.local.",
    "printer。local",
    "printer．ｌｏｃａｌ",
    "cluster.local",
    "api.default.svc.cluster.local",
    "metadata.google.internal",
    "METADATA.GOOGLE.INTERNAL.",
    "metadata%2Egoogle%2Einternal",
    "internal",
    "vault.internal",
    "router.home.arpa",
    "home.arpa",
    "nas.lan",
    "wiki.corp",
    "wiki.corp.",
    "hr.intranet",
    "abcdefghijklmnop.onion",
    // Single labels: a search list would complete them.
    "kubernetes",
    "metadata",
    "intranet",
    "ip6-localhost",
    "com",
    "com.",
    "xn--bcher-kva",
    // Invalid names.
    "a..example",
    "hook.example..",
    ".hook.example",
    ".",
    "..",
    "%2e",
    "hook.example.%2e",
    "-hook.example",
    "hook-.example",
    "hook.-example",
    "hook!.example",
    "ho$ok.example",
    "ho*k.example",
    "*.example",
    "hook,other.example",
    "hook;other.example",
    "hook=.example",
    "hook'.example",
    "(hook).example",
    "hook~.example",
    "a%00.example",
    "a%0d%0a.example",
    "a%20b.example",
    "a%2fb.example",
    "a%40b.example",
    "127.0.0.1%00.example",
    "127.0.0.1%20",
    "127.0.0.1%09",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.example",
    // Numbers that are not an address, or overflow.
    "256.0.0.1",
    "127.0.0.256",
    "127.0.0.1.1",
    "1.2.3.4.5",
    "127.0.0.0x100",
    "4294967296",
    "0x100000000",
    "127..1",
    "127.0.0.1..",
    "0x",
    "0x.0x.0x.0x",
    "00",
    "0",
    "0.0",
    "127.0x",
    "08.0.0.1",
    "127.0.0.09",
    "hook.example.1",
    "a.0x7f",
    // In brackets.
    "[::1%25lo]",
    "[::1%lo]",
    "[fe80::1%25eth0]",
    "[127.0.0.1]",
    "[localhost]",
    "[::1",
    "::1",
    "[]",
    "[:]",
    "[::1]]",
    "[[::1]]",
    "[::g]",
    "[1::2::3]",
    "[::1.2.3]",
    "[0x7f000001::]",
];

/// Complete endpoints; `PORT` stands for the listening port.
const ENDPOINTS: &[&str] = &[
    "https://127.0.0.1:0/",
    "https://hook.example:0/",
    "https://hook.example:00000/",
    "https://hook.example:65536/",
    "https://hook.example:-1/",
    "https://hook.example:99PORT/",
    "https://127.0.0.1:PORT",
    "https://127.0.0.1:PORT?hook.example",
    "https://127.0.0.1:PORT#hook.example",
    "https://127.0.0.1:PORT/@hook.example/",
    "https://127.0.0.1:0PORT/",
    "https://127.0.0.1:00000000PORT/",
    "HTTPS://127.0.0.1:PORT/",
    "hTtPs://localhost:PORT/",
    "  https://127.0.0.1:PORT/  ",
    "https://hook.example@127.0.0.1:PORT/",
    "https://hook.example:443@127.0.0.1:PORT/",
    "https://hook.example%40127.0.0.1:PORT/",
    "https://hook.example%2F@127.0.0.1:PORT/",
    "https://:@127.0.0.1:PORT/",
    "https://@127.0.0.1:PORT/",
    "https://user@localhost:PORT/",
    "https://a:b@[::1]:PORT/",
    "https://127.0.0.1:PORT@hook.example/",
    "https://hook.example\\@127.0.0.1:PORT/",
    "https://127.0.0.1:PORT\\@hook.example/",
    "https:\\\\127.0.0.1:PORT/",
    "https:/127.0.0.1:PORT/",
    "https:127.0.0.1:PORT/",
    "https:///127.0.0.1:PORT/",
    "https:////127.0.0.1:PORT/",
    "//127.0.0.1:PORT/",
    "127.0.0.1:PORT",
    "localhost:PORT",
    "https://127.0.0.1\t:PORT/",
    "https://127.0.\n0.1:PORT/",
    "https://127.0.0.1\r\n:PORT/",
    "ht\ntps://127.0.0.1:PORT/",
    "https://\u{0}127.0.0.1:PORT/",
    "https://127.0.0.1:PORT/\r\nX-Evil: 1",
    "https://127.0.0.1 :PORT/",
    "https:// 127.0.0.1:PORT/",
    "http://127.0.0.1:PORT/",
    "http://hook.example/",
    "ftp://127.0.0.1:PORT/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:PORT/_",
    "dict://127.0.0.1:PORT/",
    "ws://127.0.0.1:PORT/",
    "wss://127.0.0.1:PORT/",
    "unix:///run/docker.sock",
    "data:text/plain,x",
    "javascript:alert(1)",
    "jar:https://127.0.0.1:PORT/!/",
    "blob:https://127.0.0.1:PORT/x",
    "https+unix://127.0.0.1:PORT/",
    "",
    "https",
    "https:",
    "https://",
    "https://?",
    "https://#",
    "https://:PORT/",
    "https://:443",
];

/// Returns endpoints that must be refused, each for its own reason. `port` is the listening port.
pub fn refused(port: u16) -> Vec<String> {
    let at = |host: &str| format!("https://{host}:{port}/hook");
    let mut endpoints: Vec<String> = Vec::new();
    endpoints.extend(V4.iter().flat_map(|address| forms(*address)).map(|host| at(&host)));
    endpoints.extend(V4_PLAIN.iter().chain(HOSTS).map(|host| at(host)));
    endpoints.extend(V6.iter().map(|address| at(&format!("[{address}]"))));
    let long = [&"a.".repeat(128), &format!("{}example", "abcdefghi.".repeat(25))].map(|name| at(name));
    endpoints.extend(long);
    endpoints.extend(ENDPOINTS.iter().map(|endpoint| endpoint.replace("PORT", &port.to_string())));
    // Zero is the same in every base, which creates duplicates.
    endpoints.sort_unstable();
    endpoints.dedup();
    endpoints
}

/// Legitimate endpoints, to tell a correct policy from one that refuses everything.
pub const ALLOWED: &[&str] = &[
    "https://hook.example/",
    "https://hook.example:8443/a/b?c=d",
    "https://HOOK.Example./",
    "https://hook.test/",
    "https://hook.invalid/",
    "https://a_b.hook.example/",
    "https://bücher.example/",
    "https://xn--bcher-kva.example/",
    "https://localhost.example/",
    "https://internal.example/",
    "https://local.hook.example/",
    "https://notlocal.example/",
    "https://thelan.example/",
    "https://mycorp.example/",
    "https://127.0.0.1.example/",
    "https://10.example/",
    "https://hook.example/?next=https://127.0.0.1/",
    "https://hook.example/#@127.0.0.1",
    "https://9.9.9.9/",
    "https://134744072/",
    "https://[2620:fe::fe]:9443/",
    "https://126.255.255.255/",
    "https://128.0.0.1/",
    "https://172.15.255.255/",
    "https://172.32.0.1/",
    "https://192.167.255.255/",
    "https://223.255.255.255/",
];

/// A name and its DNS answer: always with a refused address, sometimes next to allowed ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub name: String,
    pub addresses: Vec<IpAddr>,
}

/// Returns names that can only be refused after resolution.
pub fn answers() -> Vec<Answer> {
    let public_v4: IpAddr = Ipv4Addr::new(9, 9, 9, 9).into();
    let public_v6: IpAddr = Ipv6Addr::new(0x2620, 0xfe, 0, 0, 0, 0, 0, 0xfe).into();
    let v4 = V4.iter().map(|address| IpAddr::from(*address));
    let parsed = V4_PLAIN.iter().chain(V6).map(|text| text.parse().expect("a valid address"));
    let mut answers = Vec::new();
    for (number, address) in v4.chain(parsed).enumerate() {
        let mut add = |kind: &str, addresses: Vec<IpAddr>| {
            answers.push(Answer { name: format!("{kind}-{number}.hook.example"), addresses });
        };
        add("alone", vec![address]);
        add("last", vec![public_v4, public_v6, public_v4, address]);
        add("first", vec![address, public_v4]);
    }
    for (name, address) in [
        ("127.0.0.1.rebind.example", "127.0.0.1"),
        ("7f000001.rebind.example", "127.0.0.1"),
        ("169-254-169-254.rebind.example", "169.254.169.254"),
        ("metadata.rebind.example", "169.254.169.254"),
        ("localtest.example", "127.0.0.1"),
        ("six.localtest.example", "::1"),
        ("mapped.localtest.example", "::ffff:127.0.0.1"),
        ("compatible.localtest.example", "::127.0.0.1"),
        ("translated.localtest.example", "64:ff9b::7f00:1"),
        ("tunnelled.localtest.example", "2002:7f00:1::1"),
    ] {
        let addresses = vec![address.parse().expect("a valid address")];
        answers.push(Answer { name: name.to_owned(), addresses });
    }
    answers
}

/// Returns the spellings of an IPv4 address that some parser accepts.
fn forms(address: [u8; 4]) -> Vec<String> {
    let [a, b, c, d] = address;
    let whole = u32::from_be_bytes(address);
    let (last_three, last_two) = (whole & 0x00ff_ffff, whole & 0xffff);
    let (high, low) = (whole >> 16, whole & 0xffff);
    let dotted = format!("{a}.{b}.{c}.{d}");
    let circled = |text: &str| text.chars().map(circled_digit).collect::<String>();
    let wide = |text: &str| text.chars().map(wide_digit).collect::<String>();
    let escaped = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    vec![
        // Fewer parts, other bases, leading zeros.
        dotted.clone(),
        format!("{dotted}."),
        format!("{whole}"),
        format!("{whole:#x}"),
        format!("{whole:#X}").replace("0X", "0x"),
        format!("0x00000000{whole:x}"),
        format!("0{whole:o}"),
        format!("0000000{whole:o}"),
        format!("{a}.{last_three}"),
        format!("{a}.{b}.{last_two}"),
        format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}"),
        format!("{a:#x}.{last_three:#x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("000{a:o}.0{last_three:o}"),
        format!("{a:#x}.{b}.0{c:o}.{d}"),
        // Unicode digits and dots, and escapes.
        circled(&dotted),
        wide(&dotted),
        dotted.replace('.', "。"),
        dotted.replace('.', "．"),
        dotted.replace('.', "｡"),
        dotted.replace('.', "%2e"),
        dotted.replace('.', "%E3%80%82"),
        dotted.replacen('.', "\u{200b}.", 1),
        escaped(&dotted),
        wide(&whole.to_string()),
        // Embedded in IPv6.
        format!("[::ffff:{dotted}]"),
        format!("[::FFFF:{high:x}:{low:x}]"),
        format!("[0:0:0:0:0:ffff:{high:04x}:{low:04x}]"),
        format!("[::{dotted}]"),
        format!("[::ffff:0:{dotted}]"),
        format!("[64:ff9b::{dotted}]"),
        format!("[64:ff9b:1::{high:x}:{low:x}]"),
        format!("[2002:{high:x}:{low:x}::1]"),
        format!("[2001:0:4136:e378:8000:63bf:{:x}:{:x}]", !high & 0xffff, !low & 0xffff),
        format!("[fe80::5efe:{dotted}]"),
    ]
}

fn circled_digit(c: char) -> char {
    match c.to_digit(10) {
        Some(0) => '⓪',
        Some(digit) => char::from_u32(u32::from('①') + digit - 1).unwrap_or(c),
        None => c,
    }
}

fn wide_digit(c: char) -> char {
    c.to_digit(10).and_then(|digit| char::from_u32(u32::from('０') + digit)).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn corpus_is_large_and_unique() {
        let refused = refused(4_711);
        assert!(refused.len() > 500, "{}", refused.len());
        assert!(refused.iter().all(|endpoint| !endpoint.contains("PORT")));
        let answers = answers();
        let names: HashSet<&String> = answers.iter().map(|answer| &answer.name).collect();
        assert_eq!(names.len(), answers.len());
        assert!(answers.len() > 200, "{}", answers.len());
    }

    #[test]
    fn ipv4_forms() {
        let forms = forms([127, 0, 0, 1]);
        for form in ["2130706433", "0x7f000001", "017700000001", "127.1", "①②⑦.⓪.⓪.①", "１２７.０.０.１"]
        {
            assert!(forms.iter().any(|one| one == form), "{form}");
        }
        assert!(forms.contains(&"[2002:7f00:1::1]".to_owned()));
    }
}
