// The OpenAPI document, resolved into what the page shows.

/** @typedef {any} Schema A JSON Schema, or a reference to one. */
/** @typedef {{value: any, meaning: string}} Choice */
/** @typedef {{name: string, in: string, required: boolean, description: string, schema: Schema, example: any, group: string, aliasOf: string | null}} Parameter */
/** @typedef {{mediaType: string, schema: Schema, examples: {name: string, value: any}[]}} Content */
/** @typedef {{status: string, description: string, headers: {name: string, description: string}[], contents: Content[]}} Answer */
/** @typedef {{required: boolean, description: string, contents: Content[]}} Body */
/**
 * @typedef {object} Operation
 * @property {string} id
 * @property {string} method In capitals.
 * @property {string} path
 * @property {string} tag
 * @property {string} summary
 * @property {string} description
 * @property {string[] | null} scopes The scopes of the key; `null` if no key is needed.
 * @property {Parameter[]} parameters
 * @property {Body | null} body
 * @property {Answer[]} answers
 * @property {boolean} isWebhook Sent by the service, not by the client.
 */

const METHODS = ["get", "post", "put", "patch", "delete"];

export class Description {
  /** @param {any} document */
  constructor(document) {
    this.document = document;
    /** @type {{title?: string, version?: string, summary?: string, description?: string}} */
    this.info = document.info ?? {};
    /** @type {Operation[]} */
    this.operations = [
      ...this.#read(document.paths ?? {}, false),
      ...this.#read(document.webhooks ?? {}, true),
    ];
    /** @type {[string, Schema][]} */
    this.schemas = Object.entries(document.components?.schemas ?? {});
    this.tags = this.#tags();
  }

  /**
   * Follows a reference. Members beside it take precedence.
   * @param {any} value
   * @returns {any}
   */
  resolve(value) {
    let current = value;
    // A reference to a reference is rare, and a circle of them is a mistake in the document.
    for (let step = 0; step < 8 && current?.$ref; step += 1) {
      const { $ref, ...beside } = current;
      current = { ...this.#at($ref), ...beside };
    }
    return current ?? {};
  }

  /**
   * Returns the name of the schema that is referred to.
   * @param {Schema} schema
   * @returns {string | null}
   */
  schemaName(schema) {
    const match = /^#\/components\/schemas\/(.+)$/.exec(schema?.$ref ?? "");
    return match ? unescapePointer(match[1]) : null;
  }

  /** @param {string} id */
  operation(id) {
    return this.operations.find((operation) => operation.id === id);
  }

  /** The header that carries the key. */
  get keyHeader() {
    /** @type {any[]} */
    const schemes = Object.values(this.document.components?.securitySchemes ?? {});
    return schemes.find((scheme) => scheme.type === "apiKey" && scheme.in === "header")?.name ?? "X-API-KEY";
  }

  /** @param {string} reference */
  #at(reference) {
    const parts = reference.replace(/^#\//, "").split("/").map(unescapePointer);
    return parts.reduce((value, part) => value?.[part], this.document);
  }

  /**
   * @param {Record<string, any>} paths
   * @param {boolean} isWebhook
   * @returns {Operation[]}
   */
  #read(paths, isWebhook) {
    return Object.entries(paths).flatMap(([path, item]) => {
      const resolved = this.resolve(item);
      return METHODS.filter((method) => resolved[method]).map((method) =>
        this.#operation(method, path, resolved, isWebhook));
    });
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {any} item
   * @param {boolean} isWebhook
   * @returns {Operation}
   */
  #operation(method, path, item, isWebhook) {
    const row = item[method];
    const security = row.security ?? this.document.security ?? [];
    const parameters = [...(item.parameters ?? []), ...(row.parameters ?? [])];
    const body = row.requestBody ? this.resolve(row.requestBody) : null;
    return {
      id: row.operationId ?? `${method}${path.replace(/\W+/g, "-")}`,
      method: method.toUpperCase(),
      path,
      tag: isWebhook ? "Webhooks" : row.tags?.[0] ?? "Other",
      summary: row.summary ?? `${method.toUpperCase()} ${path}`,
      description: row.description ?? "",
      scopes: security.length > 0 ? /** @type {string[]} */ (Object.values(security[0]).flat()) : null,
      parameters: parameters.map((parameter) => this.#parameter(parameter)),
      body: body && { required: body.required === true, description: body.description ?? "", contents: this.#contents(body.content) },
      answers: Object.entries(row.responses ?? {}).map(([status, answer]) => this.#answer(status, answer)),
      isWebhook,
    };
  }

  /**
   * @param {any} given
   * @returns {Parameter}
   */
  #parameter(given) {
    const parameter = this.resolve(given);
    const schema = parameter.schema ?? this.#contents(parameter.content)[0]?.schema ?? {};
    const [first] = Object.values(parameter.examples ?? {});
    const example = parameter.example ?? this.resolve(first).value ?? schema.example ?? schema.examples?.[0];
    return {
      name: parameter.name,
      in: parameter.in,
      required: parameter.required === true,
      description: parameter.description ?? "",
      schema,
      example,
      group: parameter["x-group"] ?? groupOf(parameter),
      aliasOf: parameter["x-alias-of"] ?? null,
    };
  }

  /**
   * @param {string} status
   * @param {any} given
   * @returns {Answer}
   */
  #answer(status, given) {
    const answer = this.resolve(given);
    const headers = Object.entries(answer.headers ?? {}).map(([name, header]) => (
      { name, description: this.resolve(header).description ?? "" }));
    return { status, description: answer.description ?? "", headers, contents: this.#contents(answer.content) };
  }

  /**
   * @param {any} content
   * @returns {Content[]}
   */
  #contents(content) {
    return Object.entries(content ?? {}).map(([mediaType, media]) => {
      const named = Object.entries(media.examples ?? {}).map(([name, example]) => {
        const resolved = this.resolve(example);
        return { name: resolved.summary ?? name, value: resolved.value };
      });
      const single = media.example === undefined ? [] : [{ name: "Example", value: media.example }];
      return { mediaType, schema: media.schema ?? {}, examples: [...single, ...named] };
    });
  }

  /** @returns {{name: string, description: string, operations: Operation[]}[]} */
  #tags() {
    const listed = (this.document.tags ?? []).map((/** @type {any} */ tag) => (
      { name: tag.name, description: tag.description ?? "" }));
    const names = new Set(listed.map((/** @type {any} */ tag) => tag.name));
    for (const { tag } of this.operations) {
      if (!names.has(tag)) {
        names.add(tag);
        listed.push({ name: tag, description: tag === "Webhooks" ? "Requests that the service sends to you" : "" });
      }
    }
    const operations = (/** @type {string} */ name) => this.operations.filter((operation) => operation.tag === name);
    return listed
      .map((/** @type {any} */ tag) => ({ ...tag, operations: operations(tag.name) }))
      .filter((/** @type {any} */ tag) => tag.operations.length > 0);
  }
}

/**
 * How parameters are grouped if the document does not say it (`x-group`): by their names, which follow a pattern.
 * @type {[RegExp, string][]}
 */
const GROUPS = [
  [/^order\[/, "Order"],
  [/^(page|itemsPerPage)$/, "Pages"],
  [/^(in|ex)cluded(Cities|Departments|Zipcodes|InseeCodes)|^(lat|lon|radius)$|^geo|^withLocation$/, "Place"],
  [/^event/, "Changes of price and surface"],
  [/^(from|to)[A-Z]|^sortMode$/, "Dates"],
  [/^(in|ex)cludedSite|^publisher/, "Sites and publishers"],
  [/^(expressions|features)/, "Words"],
];

/** @param {any} parameter */
function groupOf(parameter) {
  if (parameter["x-alias-of"]) return "Other names";
  if (parameter.in === "path") return "Path";
  if (parameter.in === "header") return "Headers";
  return GROUPS.find(([pattern]) => pattern.test(parameter.name))?.[1] ?? "Query";
}

/** @param {string} part */
function unescapePointer(part) {
  return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
}
