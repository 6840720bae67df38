import type { Breakage } from '../breakage.ts'

/** Health of nodes and services, and the checks that agents run. */
export const healthBreakages: readonly Breakage[] = [
  {
    id: 'HLT-001',
    file: 'src/features/catalog/views.ts',
    find: 'of placedInstances(tx, service, filter)) {',
    replace: 'of placedInstances(tx, service, filter).slice(0, 1)) {',
  },
  {
    id: 'HLT-002',
    file: 'src/features/health/model.ts',
    find: 'Node: nodeJson(node, datacenter),',
    replace: 'Node: node.node,',
  },
  {
    id: 'HLT-003',
    file: 'src/features/health/model.ts',
    find: "Address: service.address === '' ? node.address : service.address,",
    replace: 'Address: node.address,',
  },
  {
    id: 'HLT-004',
    file: 'src/features/catalog/model.ts',
    find: `    Service: service.service,
    Tags: service.tags,`,
    replace: `    Service: service.id,
    Tags: service.tags,`,
  },
  {
    id: 'HLT-005',
    file: 'src/features/catalog/views.ts',
    find: "const checks = [...checksOfInstance(tx, node.node, ''), ...checksOfInstance(tx, node.node, instance.id)]",
    replace: 'const checks = [...checksOfInstance(tx, node.node, instance.id)]',
  },
  {
    id: 'HLT-006',
    file: 'src/features/catalog/model.ts',
    find: 'Notes: check.notes,',
    replace: 'Notes: check.output,',
  },
  {
    id: 'HLT-007',
    file: 'src/features/discovery/instances.ts',
    find: "tagsSent(query.all('tag'), context.release)",
    replace: "tagsSent(query.all('tag').slice(0, 1), context.release)",
  },
  {
    id: 'HLT-008',
    file: 'src/features/health/model.ts',
    find: "checks.every(({ status }) => status === 'passing')",
    replace: "checks.every(({ status }) => status !== 'critical')",
  },
  {
    id: 'HLT-009',
    file: 'src/features/health/endpoint.ts',
    find: '({ node }) => node.node) }',
    replace: '({ node }) => node.node), index: Math.max(found.index, checksIndex(tx)) }',
  },
  {
    id: 'HLT-010',
    file: 'src/features/catalog/tables.ts',
    find: 'nameKey(row.serviceName)) },',
    replace: 'nameKey(row.serviceId)) },',
  },
  {
    id: 'HLT-011',
    file: 'src/features/health/endpoint.ts',
    find: '[...checksOfNode(read, node)]',
    replace: "[...checksOfNode(read, node)].filter(({ serviceId }) => serviceId === '')",
  },
  {
    id: 'HLT-012',
    file: 'src/features/health/endpoint.ts',
    find: "state === 'any' ? allChecks(tx) : checksInState(tx, state)",
    replace: 'checksInState(tx, state)',
  },
  {
    id: 'HLT-013',
    file: 'src/agent/servers/reconcile.ts',
    find: `case 'failed':
        return this.#failed(member)`,
    replace: `case 'failed':
        return this.#left(member)`,
  },
  {
    id: 'HLT-014',
    file: 'src/config/normalize.ts',
    find: 'file.enable_script_checks ?? settingDefaultsOf(release, false).enableScriptChecks',
    replace: 'file.enable_script_checks ?? true',
  },
  {
    id: 'HLT-015',
    file: 'src/agent/local/file-definitions.ts',
    find: 'if (checksConfig.remoteScripts || ',
    replace: 'if (checksConfig.localScripts || ',
  },
  {
    id: 'HLT-016',
    file: 'src/agent/local/local-services.ts',
    find: "this.#env.log.write('warn', 'agent', dangerousScripts)",
    replace: "this.#env.log.write('debug', 'agent', dangerousScripts)",
  },
  {
    id: 'HLT-017',
    file: 'src/features/agent/definition-checks.ts',
    find: "if (target !== '') {",
    replace: "if (target !== '' && container !== '') {",
  },
  {
    id: 'HLT-018',
    file: 'src/agent/local/api-registrations.ts',
    find: `    this.#checks.end(checkId)
    await this.#checks.dropReport(checkId)
    return done`,
    replace: `    await this.#checks.dropReport(checkId)
    return done`,
  },
  {
    id: 'HLT-019',
    file: 'src/features/agent/check-routes.ts',
    find: "request.query.get('note') ?? ''",
    replace: "''",
  },
  {
    id: 'HLT-020',
    file: 'src/features/agent/check-routes.ts',
    find: "reportRoute('/v1/agent/check/warn/', 'warning')",
    replace: "reportRoute('/v1/agent/check/warn/', 'critical')",
  },
  {
    id: 'HLT-021',
    file: 'src/features/agent/check-routes.ts',
    find: "reportRoute('/v1/agent/check/fail/', 'critical')",
    replace: "reportRoute('/v1/agent/check/fail/', 'warning')",
  },
  {
    id: 'HLT-022',
    file: 'src/features/agent/check-routes.ts',
    find: '([{ checkId }, json]) => [checkId, json]',
    replace: '([{ name }, json]) => [name, json]',
  },
  {
    id: 'HLT-023',
    file: 'src/config/definitions.ts',
    find: 'told.push(problemOf(source, parsed.error))',
    replace: 'if (skipped !== undefined) told.push(problemOf(source, parsed.error))',
  },
  {
    id: 'HLT-024',
    file: 'src/agent/local/overdue-services.ts',
    find: 'nowMs - criticalSinceMs >= afterMs',
    replace: 'nowMs - criticalSinceMs < afterMs',
  },
]
