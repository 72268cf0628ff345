// Writes src/api/schema.ts (types of the API) and src/api/filters.ts (the filter table) from docs/openapi.json.
// With --check it writes nothing and fails if a file is not what it would write.

import { readFileSync, writeFileSync } from 'node:fs';
import openapi, { astToString } from 'openapi-typescript';

const root = new URL('..', import.meta.url);
const document = JSON.parse(readFileSync(new URL('../docs/openapi.json', root), 'utf8'));

const NOTE = '// Made from docs/openapi.json by `npm run generate`; not edited by hand.\n\n';

/** The parts that the console uses: the same refusals are listed for every operation and are read from one class of errors. */
function reduced(source) {
  const copy = structuredClone(source);
  delete copy.webhooks;
  withoutExamples(copy);
  for (const methods of Object.values(copy.paths)) {
    for (const operation of Object.values(methods)) {
      for (const [status, answer] of Object.entries(operation.responses ?? {})) {
        if (!status.startsWith('2')) delete operation.responses[status];
        else delete answer.headers;
      }
      delete operation.description;
      // The filters have a table of their own, with more in it than a type can say.
      operation.parameters = operation.parameters?.filter((parameter) => parameter.in === 'path');
    }
  }
  return copy;
}

function withoutExamples(value) {
  if (typeof value !== 'object' || value === null) return;
  delete value.example;
  delete value.examples;
  for (const inner of Object.values(value)) withoutExamples(inner);
}

/** One row for each filter of the market, without other names of the same filter. */
function filterRows(source) {
  const saved = source.components.schemas.SearchDraft.properties;
  return source.paths['/documents/properties'].get.parameters
    .filter((parameter) => !parameter['x-alias-of'] && !/^(order|page$|itemsPerPage$|geoShapes|expressions)/.test(parameter.name))
    .map(({ name, description, schema }) => {
      const bare = name.replace('[]', '');
      const many = schema.type === 'array';
      const item = many ? schema.items : schema;
      const path = /^Path of an? (\w+)$/.exec(item.description ?? '')?.[1];
      const date = item.description?.startsWith('`YYYY');
      const type = path ?? (date ? 'date' : item.enum ? 'choice' : item.type === 'integer' ? 'number' : item.type);
      return { name: bare, type, many, saved: bare in saved, values: item.enum ?? [], about: description };
    });
}

function filterTable(source) {
  const rows = filterRows(source).map((row) => `  ${JSON.stringify(row).replaceAll('"', "'").replaceAll(/'(\w+)':/g, '$1: ').replaceAll(',', ', ').replaceAll(',  ', ', ')},`);
  return `${NOTE}export const filterTable = [\n${rows.join('\n')}\n] as const;\n`;
}

const files = {
  'src/api/schema.ts': NOTE + astToString(await openapi(reduced(document), { alphabetize: true })),
  'src/api/filters.ts': filterTable(document),
};

let stale = false;
for (const [name, content] of Object.entries(files)) {
  const path = new URL(name, root);
  if (!process.argv.includes('--check')) {
    writeFileSync(path, content);
  } else if (readFileSync(path, 'utf8') !== content) {
    console.error(`${name} is not what docs/openapi.json gives: run \`npm run generate\` and commit the result.`);
    stale = true;
  }
}
process.exitCode = stale ? 1 : 0;
