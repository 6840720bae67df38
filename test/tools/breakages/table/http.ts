import type { Breakage } from '../breakage.ts'

const encoder = 'src/http/encode-response.ts'
const face = 'src/http/face.ts'
const calls = 'src/http/route-call.ts'
const nodes = 'src/features/discovery/datacenters.ts'
const pool = 'src/features/agent/pool-routes.ts'
const agent = 'src/features/agent/model.ts'

/** Conventions of the HTTP interface, and what agents tell of themselves there. */
export const httpBreakages: readonly Breakage[] = [
  {
    id: 'HTP-001',
    file: face,
    find: 'const match = clean === path ? table.match(path) :',
    replace: "const match = clean === path ? table.match(path.replace(/^(?!\\/v1\\/)/, '/v1')) :",
  },
  {
    id: 'HTP-002',
    file: encoder,
    find: "headers.push(['Content-Type', 'application/json'])\n          return { status: response.status ?? 200,",
    replace: "headers.push(['Content-Type', plainText])\n          return { status: response.status ?? 200,",
  },
  {
    id: 'HTP-003',
    file: encoder,
    find: '  pushNamed(headers, names.index, String(Math.max(1, meta.index)))\n',
    replace: '',
  },
  {
    id: 'HTP-004',
    file: 'src/agent/requests/serving/dispatch.ts',
    find: 'if (leftMs <= 0 || this.#seen.isNews(before, found.value, read.minIndex)) {',
    replace: 'if (leftMs <= 0) {',
  },
  {
    id: 'HTP-005',
    file: 'src/agent/requests/request.ts',
    find: 'return read.waitMs === 0 ? blockingWaitDefaultMs :',
    replace: 'return read.waitMs === 0 ? blockingWaitMaxMs :',
  },
  {
    id: 'HTP-006',
    file: 'src/features/catalog/views.ts',
    find: "if (!hasBehaviour(release, 'index-of-one-service')) return ofAnyService(tx, read)",
    replace: 'if (release.major < 2) return ofAnyService(tx, read)',
  },
  {
    id: 'HTP-007',
    file: 'src/features/watch/watching.ts',
    find: 'this.#index = fell ? 0n : index\n',
    replace: 'this.#index = fell ? this.#index : index\n',
  },
  {
    id: 'HTP-008',
    file: face,
    find: "config.translatesAddresses && has('http-translates') ?",
    replace: "has('http-translates') ?",
  },
  {
    id: 'HTP-009',
    file: nodes,
    find: 'own.translatesAddresses && datacenter !== own.datacenter ?',
    replace: 'own.translatesAddresses && datacenter === own.datacenter ?',
  },
  {
    id: 'HTP-010',
    file: nodes,
    find: "return hasBehaviour(context.release, 'http-translates') ? nodesSeen(context.self(), datacenter) : (node) => node",
    replace: 'return nodesSeen(context.self(), datacenter)',
  },
  {
    id: 'HTP-011',
    file: encoder,
    find: '  pushNamed(headers, names.knownLeader, String(meta.knownLeader))\n',
    replace: '',
  },
  {
    id: 'HTP-012',
    file: 'src/http/header-names.ts',
    find: '[own, ...others].map((name) => headerName',
    replace: '[own].map((name) => headerName',
  },
  {
    id: 'HTP-013',
    file: calls,
    find: "return encoder.text(405, said, [['Allow', allowInstead]])",
    replace: 'return encoder.text(405, said)',
  },
  {
    id: 'HTP-014',
    file: calls,
    find: "hasBehaviour(options.context.release, 'verbs-enforced')",
    replace: "hasBehaviour(options.context.release, 'options-answered') || true",
  },
  {
    id: 'HTP-055',
    file: 'src/features/operator/routes.ts',
    find: "{ kind: 'text', text: '', status: 404 }",
    replace: "{ kind: 'text', text: '', status: 200 }",
  },
  {
    id: 'HTP-056',
    file: 'src/features/status/endpoint.ts',
    find: 'configuration.servers.map(({ address }) => address)',
    replace: 'configuration.servers.map(({ id }) => id)',
  },
  {
    id: 'HTP-057',
    file: pool,
    find: 'const listed = (wan ? context.wan : context.lan)?.members()',
    replace: 'const listed = context.lan.members()',
  },
  {
    id: 'HTP-058',
    file: pool,
    find: '  context.lan.forceLeave(name)\n',
    replace: '',
  },
  {
    id: 'HTP-059',
    file: 'src/features/agent/routes.ts',
    find: "hasBehaviour(context.release, 'few-settings-told') ? selfJson : oldSelfJson",
    replace: "hasBehaviour(context.release, 'few-settings-told') ? oldSelfJson : selfJson",
  },
  { id: 'HTP-060', file: agent, find: 'DebugConfig: self.debugConfig', replace: 'DebugConfig: {}' },
  { id: 'HTP-061', file: agent, find: 'NodeID: self.nodeId', replace: 'NodeID: self.nodeName' },
  {
    id: 'HTP-062',
    file: 'src/http/failure-status.ts',
    find: "'bad-request': 400",
    replace: "'bad-request': 500",
  },
  {
    id: 'HTP-063',
    file: 'src/features/catalog/register-body.ts',
    find: '[...value.Checks, value.Check]',
    replace: '[value.Check]',
  },
  {
    id: 'HTP-064',
    file: 'src/features/event/routes.ts',
    find: 'if (reader.ok && known !== undefined) {',
    replace: "if (reader.ok && known !== undefined && name !== '') {",
  },
]
