import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import ts from 'typescript';
import { verifyCode } from '../src/deliveries/verify';
import { requestCode } from '../src/market/snippets';

const params: [string, string][] = [['includedCities[]', '/cities/37261'], ['expressions[0][0][word]', "l'été & \"mer\" $HOME `x` \\"]];

describe('a request as code', () => {
  it('for curl keeps every character in the shell', () => {
    const code = requestCode('curl', 'http://127.0.0.1:8080', '/documents/properties', params);
    const printed = execFileSync('sh', ['-c', code.replace(/^curl/, 'KEY=k; printf "%s\\n"')], { encoding: 'utf8' }).split('\n');
    expect(printed).toContain(params.map(([name, value]) => `${name}=${value}`)[1]);
    expect(printed).toContain('X-API-KEY: k');
  });

  it('for TypeScript compiles', () => {
    const code = requestCode('TypeScript', 'http://127.0.0.1:8080', '/documents/properties', params);
    const result = ts.transpileModule(code, { reportDiagnostics: true, compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext } });
    expect(result.diagnostics).toEqual([]);
    expect(code).not.toContain('vigie_');
  });

  it('for Python has the same values', () => {
    const code = requestCode('Python', 'http://127.0.0.1:8080', '/documents/properties', params).split('request =')[0]!;
    const printed = execFileSync('python3', ['-c', `${code}\nprint(query)`], { encoding: 'utf8' }).trim();
    expect([...new URLSearchParams(printed)]).toEqual(params);
  });
});

describe('verification of a message', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = '{"test": 2432232314}';
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.slice(6), 'base64');
  const good = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  const cases: [string, string, boolean][] = [
    [timestamp, good, true],
    [timestamp, `v1,AAAA ${good}`, true],
    [timestamp, 'v1,AAAA', false],
    ['1614265330', good, false],
  ];

  it('in TypeScript', async () => {
    const code = ts.transpileModule(verifyCode('TypeScript'), { compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext } }).outputText;
    const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { verify: (...values: unknown[]) => boolean };
    for (const [time, signature, expected] of cases) expect(module.verify(secret, id, time, signature, Buffer.from(body))).toBe(expected);
  });

  it('in Python', () => {
    for (const [time, signature, expected] of cases) {
      const code = `${verifyCode('Python')}\nimport sys\nprint(verify(*sys.argv[1:5], sys.argv[5].encode()))`;
      expect(execFileSync('python3', ['-c', code, secret, id, time, signature, body], { encoding: 'utf8' }).trim()).toBe(expected ? 'True' : 'False');
    }
  });
});
