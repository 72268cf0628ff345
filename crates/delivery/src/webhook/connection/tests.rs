//! Examples of `Keep-Alive` headers.

use super::*;

#[test]
fn keep_alive_timeout_parses() {
    let check = |text: &'static str, expected: Option<u64>| {
        let mut headers = HeaderMap::new();
        headers.insert("keep-alive", http::HeaderValue::from_static(text));
        assert_eq!(announced_idle(&headers), expected.map(Duration::from_secs), "{text}");
    };
    check("timeout=5", Some(5));
    check("max=100, timeout=75", Some(75));
    check("timeout=0", Some(0));
    check("max=100", None);
    check("timeout=-1", None);
    check("timeout=never", None);
    assert_eq!(announced_idle(&HeaderMap::new()), None);
}
