// Parses the Hydra documentation of the service with API Platform's parser, as admin interfaces do. Prints each resource with the
// names of its fields, its operations and the parameters of its collection, as JSON.

import { parseHydraDocumentation } from "@api-platform/api-doc-parser";

const { API_URL, API_KEY } = process.env;
const options = { headers: { "X-API-KEY": API_KEY } };
const { api } = await parseHydraDocumentation(API_URL, options);
const names = (list) => list.map(({ name }) => name);
const resources = {};
for (const resource of api.resources) {
  const parameters = await resource.getParameters();
  resources[resource.name] = {
    title: resource.title,
    fields: names(resource.fields),
    readable: names(resource.readableFields),
    writable: names(resource.writableFields),
    operations: resource.operations.map(({ type, method }) => `${type} ${method}`),
    parameters: parameters.map(({ variable }) => variable),
  };
}
console.log(JSON.stringify({ title: api.title, resources }));
