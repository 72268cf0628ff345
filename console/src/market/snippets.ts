// A request as code that runs, for those who go on with their own program.

export type Dialect = 'curl' | 'TypeScript' | 'Python';
export const dialects: readonly Dialect[] = ['curl', 'TypeScript', 'Python'];

export function requestCode(dialect: Dialect, origin: string, path: string, params: readonly (readonly [string, string])[]): string {
  switch (dialect) {
    case 'curl': {
      const data = params.map(([name, value]) => ` \\\n  --data-urlencode ${shell(`${name}=${value}`)}`).join('');
      return `curl -s -G ${shell(origin + path)} -H "X-API-KEY: $KEY"${data}`;
    }
    case 'TypeScript': {
      const rows = params.map(([name, value]) => `  [${JSON.stringify(name)}, ${JSON.stringify(value)}],`);
      return `const query = new URLSearchParams([\n${rows.join('\n')}\n]);
const response = await fetch(\`${origin.replaceAll('`', '')}${path}?\${query}\`, { headers: { 'X-API-KEY': process.env.KEY! } });
if (!response.ok) throw new Error(await response.text());
const page = await response.json();
console.log(page['hydra:totalItems']);`;
    }
    case 'Python': {
      const rows = params.map(([name, value]) => `    (${python(name)}, ${python(value)}),`);
      return `import json, os, urllib.parse, urllib.request

query = urllib.parse.urlencode([
${rows.join('\n')}
])
request = urllib.request.Request(f"${origin}${path}?{query}", headers={"X-API-KEY": os.environ["KEY"]})
with urllib.request.urlopen(request) as response:
    page = json.load(response)
print(page["hydra:totalItems"])`;
    }
  }
}

/** A word for the shell: quotes end it, so each is written outside of it. */
function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** JSON strings are Python strings, but for characters outside the basic plane. */
function python(text: string): string {
  return JSON.stringify(text);
}
