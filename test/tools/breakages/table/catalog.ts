import type { Breakage } from '../breakage.ts'

/** Nodes and instances of services, as the catalog tells of them. */
export const catalogBreakages: readonly Breakage[] = [
  {
    id: 'CAT-001',
    file: 'src/features/catalog/registration.ts',
    find: 'last.get(nameKey(check.checkId)) === at)',
    replace: 'last.get(nameKey(check.checkId)) !== at)',
  },
  {
    id: 'CAT-002',
    file: 'src/features/catalog/model.ts',
    find: `z.infer<typeof nodeShape> {
  return {
    ID: node.id,`,
    replace: `z.infer<typeof nodeShape> {
  return {
    ID: node.node,`,
  },
  {
    id: 'CAT-003',
    file: 'src/features/catalog/model.ts',
    find: `    Node: node.node,
    Address: node.address,
    Datacenter: datacenter,
    TaggedAddresses: pairsJson(node.taggedAddresses),
    Meta:`,
    replace: `    Node: node.id,
    Address: node.address,
    Datacenter: datacenter,
    TaggedAddresses: pairsJson(node.taggedAddresses),
    Meta:`,
  },
  {
    id: 'CAT-004',
    file: 'src/features/catalog/model.ts',
    find: `    Address: node.address,
    Datacenter: datacenter,
    TaggedAddresses: pairsJson(node.taggedAddresses),
    Meta:`,
    replace: `    Address: node.node,
    Datacenter: datacenter,
    TaggedAddresses: pairsJson(node.taggedAddresses),
    Meta:`,
  },
  {
    id: 'CAT-005',
    file: 'src/features/catalog/model.ts',
    find: `    Datacenter: datacenter,
    TaggedAddresses: pairsJson(node.taggedAddresses),
    Meta:`,
    replace: `    Datacenter: '',
    TaggedAddresses: pairsJson(node.taggedAddresses),
    Meta:`,
  },
  {
    id: 'CAT-006',
    file: 'src/agent/local/parts.ts',
    find: "? [['lan', config.advertiseAddress], wan]",
    replace: "? [['lan', config.advertiseAddress]]",
  },
  {
    id: 'CAT-007',
    file: 'src/features/catalog/model.ts',
    find: `
    Meta: pairsJson(node.meta),`,
    replace: `
    Meta: pairsJson(node.taggedAddresses),`,
  },
  {
    id: 'CAT-008',
    file: 'src/agent/local/parts.ts',
    find: "[...Object.entries(config.nodeMeta), [segmentMetaKey(config.naming), '']]",
    replace: '[...Object.entries(config.nodeMeta)]',
  },
  {
    id: 'CAT-009',
    file: 'src/features/catalog/registration.ts',
    find: 'const row: CatalogNode = { ...facts, createIndex: before?.createIndex ?? tx.index,',
    replace: 'const row: CatalogNode = { ...facts, createIndex: tx.index,',
  },
  {
    id: 'CAT-010',
    file: 'src/features/discovery/datacenters.ts',
    find: '{ ...node, address: wan }',
    replace: "{ ...node, address: wan, taggedAddresses: [['wan', wan]] }",
  },
  {
    id: 'CAT-011',
    file: 'src/agent/local/parts.ts',
    find: `hasBehaviour(config.release, 'lan-address-tagged')
      ? `,
    replace: `hasBehaviour(config.release, 'protocol-2')
      ? `,
  },
  {
    id: 'CAT-012',
    file: 'src/features/catalog/routes.ts',
    find: 'entries: (nodes) => nodes,',
    replace: 'entries: (nodes) => nodes.slice(0, 1),',
  },
  {
    id: 'CAT-013',
    file: 'src/features/catalog/routes.ts',
    find: 'args: () => ({ ...nodeMetaOf(request.query), ...nearOf(context, request.query) }),',
    replace: 'args: () => nodeMetaOf(request.query),',
  },
  {
    id: 'CAT-014',
    file: 'src/features/catalog/routes.ts',
    find: `args: (service) => instancesAsked(context, request.query, service, connect),
    entryType: placedServiceType,
    entries: (instances) => instances,`,
    replace: `args: (service) => instancesAsked(context, request.query, service, connect),
    entryType: placedServiceType,
    entries: (instances) => instances.slice(0, 1),`,
  },
  {
    id: 'CAT-015',
    file: 'src/features/catalog/model.ts',
    find: `z.infer<typeof placedServiceShape> {
  return {
    ID: node.id,
    Node: node.node,`,
    replace: `z.infer<typeof placedServiceShape> {
  return {
    ID: node.id,
    Node: node.id,`,
  },
  {
    id: 'CAT-016',
    file: 'src/features/catalog/model.ts',
    find: 'ServiceAddress: service.address,',
    replace: "ServiceAddress: service.address === '' ? '' : node.address,",
  },
  {
    id: 'CAT-017',
    file: 'src/features/catalog/model.ts',
    find: 'ServiceID: service.id,',
    replace: 'ServiceID: service.service,',
  },
  {
    id: 'CAT-018',
    file: 'src/features/catalog/model.ts',
    find: 'ServiceName: service.service,',
    replace: 'ServiceName: service.id,',
  },
  {
    id: 'CAT-019',
    file: 'src/features/catalog/model.ts',
    find: 'ServiceTags: service.tags,',
    replace: 'ServiceTags: service.tags.length === 0 ? null : service.tags,',
  },
  {
    id: 'CAT-020',
    file: 'src/features/catalog/model.ts',
    find: 'ServicePort: service.port,',
    replace: 'ServicePort: String(service.port),',
  },
  {
    id: 'CAT-021',
    file: 'src/features/discovery/instances.ts',
    find: 'return { service, ...tags, connect,',
    replace: 'return { service, ...(tags.tagFilter === true ? {} : tags), connect,',
  },
  {
    id: 'CAT-022',
    file: 'src/features/catalog/views.ts',
    find: 'return tags.every((tag) => service.tags.some(',
    replace: 'return tags.length === 0 || tags.some((tag) => service.tags.some(',
  },
  {
    id: 'CAT-023',
    file: 'src/features/catalog/views.ts',
    find: 'return { index: serviceIndex(tx, service), value: tx.covered(read) }',
    replace: 'return { index: servicesIndex(tx), value: tx.covered(read) }',
  },
  {
    id: 'CAT-024',
    file: 'src/model/server-changes.ts',
    find: `'index-of-one-service': {
    since: { major: 1, minor: 0, patch: 7 },`,
    replace: `'index-of-one-service': {
    since: { major: 1, minor: 0, patch: 6 },`,
  },
  {
    id: 'CAT-025',
    file: 'src/features/discovery/tag-filter.ts',
    find: "return serviceTag === '' || onlyLists ? serviceTags",
    replace: "return serviceTag === '' ? serviceTags",
  },
  {
    id: 'CAT-026',
    file: 'src/features/health/endpoint.ts',
    find: 'tagsRead(filter, release)',
    replace: 'tagsRead(filter, release, true)',
  },
  {
    id: 'CAT-027',
    file: 'src/model/interface-changes.ts',
    find: `'catalog-reads-one-tag': {
    since: { major: 1, minor: 3, patch: 1 },`,
    replace: `'catalog-reads-one-tag': {
    since: { major: 1, minor: 4, patch: 0 },`,
  },
]
