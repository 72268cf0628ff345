// How a receiver verifies a message, with nothing but what the language brings along.

export type Language = 'TypeScript' | 'Python' | 'Go' | 'PHP' | 'Ruby';
export const languages: readonly Language[] = ['TypeScript', 'Python', 'Go', 'PHP', 'Ruby'];

/** A function `verify` that takes secret, id, timestamp, signature and raw body, and tells whether one of the signatures is right. */
export function verifyCode(language: Language): string {
  switch (language) {
    case 'TypeScript':
      return `import { createHmac, timingSafeEqual } from 'node:crypto';

export function verify(secret: string, id: string, timestamp: string, signature: string, body: Buffer): boolean {
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(body).digest();
  return signature.split(' ').some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
    return one.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected);
  });
}`;
    case 'Python':
      return `import base64, hashlib, hmac, time

def verify(secret: str, id: str, timestamp: str, signature: str, body: bytes) -> bool:
    if abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    return any(hmac.compare_digest(expected, one) for one in signature.split(" "))`;
    case 'Go':
      return `func verify(secret, id, timestamp, signature string, body []byte) bool {
	sent, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || math.Abs(float64(time.Now().Unix()-sent)) > 300 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, one := range strings.Fields(signature) {
		if hmac.Equal([]byte(expected), []byte(one)) {
			return true
		}
	}
	return false
}`;
    case 'PHP':
      return `function verify(string $secret, string $id, string $timestamp, string $signature, string $body): bool {
    if (abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signature) as $one) {
        if (hash_equals($expected, $one)) {
            return true;
        }
    }
    return false;
}`;
    case 'Ruby':
      return `require "base64"
require "openssl"

def verify(secret, id, timestamp, signature, body)
  return false if (Time.now.to_i - timestamp.to_i).abs > 300
  key = Base64.decode64(secret.delete_prefix("whsec_"))
  digest = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.#{body}")
  expected = "v1,#{Base64.strict_encode64(digest)}"
  signature.split(" ").any? { |one| OpenSSL.secure_compare(expected, one) }
end`;
  }
}
