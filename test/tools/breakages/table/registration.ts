import type { Breakage } from '../breakage.ts'

/** Registration of services and checks on agents, by files and over HTTP. */
export const registrationBreakages: readonly Breakage[] = [
  {
    id: 'REG-001',
    file: 'src/config/found-files.ts',
    find: 'if (naming.format !== undefined || extensionOf(name, naming) !== undefined) found.paths.push(path)',
    replace: 'if (naming.format !== undefined) found.paths.push(path)',
  },
  {
    id: 'REG-002',
    file: 'src/agent/local/local-services.ts',
    find: `this.#api.takeService(definition, others), thingsOf(definition))
    return changed.ok ? this.#told() : changed`,
    replace: `this.#api.takeService(definition, others), thingsOf(definition))
    return changed`,
  },
  {
    id: 'REG-003',
    file: 'src/dns/catalog-reads.ts',
    find: 'return ok(found.value.map((entry) => ({ ...entry, node: seen(entry.node) })))',
    replace:
      'return ok(found.value.filter(({ checks }) => checks.length > 1).map((entry) => ({ ...entry, node: seen(entry.node) })))',
  },
  {
    id: 'REG-004',
    file: 'src/config/sources/sources.ts',
    find: 'definitions: sources.flatMap((source) => definitionSources(source.config, source.placeOf)),',
    replace: `definitions: sources
      .map((source) => definitionSources(source.config, source.placeOf))
      .reduce((before, after) => (after.length > 0 ? after : before), []),`,
  },
  {
    id: 'REG-005',
    file: 'src/config/definitions.ts',
    find: "...many('service', file.services),",
    replace: "...many('service', file.services?.slice(0, 1)),",
  },
  {
    id: 'REG-006',
    file: 'src/config/found-files.ts',
    find: "hasBehaviour(release, 'hcl-files') ? 'hcl' : undefined",
    replace: "hasBehaviour(release, 'hcl-files') ? 'hcl' : 'json'",
  },
  {
    id: 'REG-007',
    file: 'src/config/definitions.ts',
    find: "...one('service', file.service),",
    replace: '',
  },
  {
    id: 'REG-008',
    file: 'src/features/agent/definitions.ts',
    find: `    service: name,
    tags:`,
    replace: `    service: fields.text('id') || name,
    tags:`,
  },
  {
    id: 'REG-009',
    file: 'src/features/agent/definitions.ts',
    find: "tags: fields.texts('tags'),",
    replace: "tags: [...fields.texts('tags')].slice(1),",
  },
  {
    id: 'REG-010',
    file: 'src/features/agent/definitions.ts',
    find: "port: fields.integer('port'),",
    replace: "port: weights?.integer('passing') ?? 0,",
  },
  {
    id: 'REG-011',
    file: 'src/features/catalog/model.ts',
    find: 'ServiceAddress: service.address,',
    replace: "ServiceAddress: '',",
  },
  {
    id: 'REG-012',
    file: 'src/agent/local/comparison.ts',
    find: 'overriddenTags.set(own.facts.id, remote.tags)',
    replace: 'overriddenTags.set(own.facts.id, own.facts.tags)',
  },
  {
    id: 'REG-013',
    file: 'src/features/agent/definition-matching.ts',
    find: '(old.camel.has(lower) && spelled !== lower)',
    replace: '(spelling !== undefined && spelled !== lower)',
  },
  {
    id: 'REG-014',
    file: 'src/features/agent/definition-names.ts',
    find: "['scriptargs', { use: 'args' }],",
    replace: `['checkid', { use: 'id' }],
    ['scriptargs', { use: 'args' }],`,
  },
  {
    id: 'REG-015',
    file: 'src/features/agent/definition-names.ts',
    find: "script: { http: ['Script'], file: 'script', holds: 'text', until: 'old-definition-keys-refused' },",
    replace: "script: { http: ['Script'], file: 'script', holds: 'text' },",
  },
  {
    id: 'REG-016',
    file: 'src/features/agent/definitions.ts',
    find: "meta: fields.pairs('meta'),",
    replace: 'meta: null,',
  },
  {
    id: 'REG-017',
    file: 'src/agent/local/local-services.ts',
    find: 'this.#files.takeServices(wanted, this.#env.log)',
    replace: `const known = new Map([...wanted.services].filter(([id]) => held.has(id)))
    this.#files.takeServices({ ...wanted, services: known }, this.#env.log)`,
  },
  {
    id: 'REG-018',
    file: 'src/agent/local/api-registrations.ts',
    find: "this.#state.putService(service, 'api', true)",
    replace: "if (this.#state.service(service.id) !== undefined) this.#state.putService(service, 'api', true)",
  },
  {
    id: 'REG-019',
    file: 'src/features/agent/definition-fields.ts',
    find: "this.#unconvertible(key, 'int', value)",
    replace: '',
  },
  {
    id: 'REG-020',
    file: 'src/agent/local/file-registrations.ts',
    find: "if (old === undefined || !sameDefinition(old, facts)) this.#state.putService(facts, 'file', true)",
    replace: "if (old === undefined) this.#state.putService(facts, 'file', true)",
  },
  {
    id: 'REG-021',
    file: 'src/agent/local/service-entries.ts',
    find: `      id: facts.id,
      facts,
      token,`,
    replace: `      id: facts.id,
      facts: this.find(facts.id)?.facts ?? facts,
      token,`,
  },
  {
    id: 'REG-022',
    file: 'src/agent/local/api-registrations.ts',
    find: 'for (const each of ids) this.#state.removeService(each)',
    replace: 'for (const each of ids.slice(1)) this.#state.removeService(each)',
  },
  {
    id: 'REG-023',
    file: 'src/features/agent/service-routes.ts',
    find: '([{ id }, json]) => [id, json]',
    replace: '([{ service }, json]) => [service, json]',
  },
  {
    id: 'REG-024',
    file: 'src/agent/local/comparison.ts',
    find: `    a.port === b.port &&
`,
    replace: '',
  },
  {
    id: 'REG-025',
    file: 'src/features/agent/rights.ts',
    find: `return [
    writing('service', service.service),`,
    replace: `return [
    reading('service', service.service),`,
  },
  {
    id: 'REG-026',
    file: 'src/features/agent/definition-names.ts',
    find: "file: 'service_id', holds: 'text' }",
    replace: "file: 'serviceid', holds: 'text' }",
  },
  {
    id: 'REG-027',
    file: 'src/features/agent/definition-names.ts',
    find: "use: 'docker_container_id',",
    replace: "use: 'container_id',",
  },
  {
    id: 'REG-028',
    file: 'src/features/agent/definition-names.ts',
    find: "{ use: 'tls_skip_verify', since: '1.0', by: 'old-options-refused' }",
    replace: "{ use: 'tls_skip_verify', since: '1.0', by: 'old-definition-keys-refused' }",
  },
  {
    id: 'REG-029',
    file: 'src/features/agent/definition-names.ts',
    find: "file: 'deregister_critical_service_after',",
    replace: "file: 'deregistercriticalserviceafter',",
  },
]
