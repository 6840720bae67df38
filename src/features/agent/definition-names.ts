import { type MemberNames, type MemberTable, memberTable, type OldSpellings } from './definition-fields.ts'

/** Members of a service definition. Reference: HTTP API 4.2, configuration 3. */
const serviceMembers = {
  id: { http: ['ID'], file: 'id' },
  name: { http: ['Name'], file: 'name' },
  tags: { http: ['Tags'], file: 'tags' },
  address: { http: ['Address'], file: 'address' },
  port: { http: ['Port'], file: 'port' },
  meta: { http: ['Meta'], file: 'meta' },
  kind: { http: ['Kind'], file: 'kind' },
  weights: { http: ['Weights'], file: 'weights' },
  enableTagOverride: { http: ['EnableTagOverride', 'enable_tag_override'], file: 'enable_tag_override' },
  token: { http: ['Token'], file: 'token' },
  check: { http: ['Check'], file: 'check' },
  checks: { http: ['Checks'], file: 'checks' },
  proxy: { http: ['Proxy'], file: 'proxy' },
  proxyDestination: { http: ['ProxyDestination', 'proxy_destination'], file: 'proxy_destination' },
  connect: { http: ['Connect'], file: 'connect' },
} as const satisfies Record<string, MemberNames>

export const serviceNames = memberTable(serviceMembers)

export type ServiceName = keyof typeof serviceMembers

export const serviceOldSpellings: OldSpellings = {
  camel: new Map(),
  refused: new Map([['enabletagoverride', { use: 'enable_tag_override', since: '1.1.0' }]]),
}

const weightMembers = {
  passing: { http: ['Passing'], file: 'passing' },
  warning: { http: ['Warning'], file: 'warning' },
} as const satisfies Record<string, MemberNames>

export const weightNames = memberTable(weightMembers)

const proxyMembers = {
  destination: { http: ['DestinationServiceName', 'destination_service_name'], file: 'destination_service_name' },
  destinationId: { http: ['DestinationServiceID', 'destination_service_id'], file: 'destination_service_id' },
  localAddress: { http: ['LocalServiceAddress', 'local_service_address'], file: 'local_service_address' },
  localPort: { http: ['LocalServicePort', 'local_service_port'], file: 'local_service_port' },
  config: { http: ['Config'], file: 'config' },
  upstreams: { http: ['Upstreams'], file: 'upstreams' },
} as const satisfies Record<string, MemberNames>

export const proxyNames = memberTable(proxyMembers)

const connectMembers = {
  native: { http: ['Native'], file: 'native' },
  sidecar: { http: ['SidecarService', 'sidecar_service'], file: 'sidecar_service' },
  proxy: { http: ['Proxy'], file: 'proxy' },
} as const satisfies Record<string, MemberNames>

export const connectNames = memberTable(connectMembers)

/** Members of a check definition. `id` is another one over HTTP where the check stands in a service. Reference: HTTP API 4.4. */
const checkMembers = {
  id: { http: ['ID'], file: 'id' },
  name: { http: ['Name'], file: 'name' },
  notes: { http: ['Notes'], file: 'notes' },
  status: { http: ['Status'], file: 'status' },
  serviceId: { http: ['ServiceID', 'service_id'], file: 'service_id' },
  token: { http: ['Token'], file: 'token' },
  ttl: { http: ['TTL'], file: 'ttl' },
  http: { http: ['HTTP'], file: 'http' },
  method: { http: ['Method'], file: 'method' },
  header: { http: ['Header'], file: 'header' },
  tcp: { http: ['TCP'], file: 'tcp' },
  args: { http: ['ScriptArgs', 'Args', 'script_args'], file: 'args' },
  shell: { http: ['Shell'], file: 'shell' },
  dockerContainerId: { http: ['DockerContainerID', 'docker_container_id'], file: 'docker_container_id' },
  grpc: { http: ['GRPC'], file: 'grpc' },
  grpcUseTls: { http: ['GRPCUseTLS', 'grpc_use_tls'], file: 'grpc_use_tls' },
  aliasNode: { http: ['AliasNode', 'alias_node'], file: 'alias_node' },
  aliasService: { http: ['AliasService', 'alias_service'], file: 'alias_service' },
  interval: { http: ['Interval'], file: 'interval' },
  timeout: { http: ['Timeout'], file: 'timeout' },
  tlsSkipVerify: { http: ['TLSSkipVerify', 'tls_skip_verify'], file: 'tls_skip_verify' },
  deregisterAfter: {
    http: ['DeregisterCriticalServiceAfter', 'deregister_critical_service_after'],
    file: 'deregister_critical_service_after',
  },
} as const satisfies Record<string, MemberNames>

export const checkNames = memberTable(checkMembers)

export type CheckName = keyof typeof checkMembers

export const serviceCheckNames: MemberTable<CheckName> = memberTable({
  ...checkMembers,
  id: { http: ['CheckID'], file: 'id' },
})

/** Reference: configuration CFG-7 and 16. */
export const checkOldSpellings: OldSpellings = {
  camel: new Map([
    ['deregistercriticalserviceafter', { use: 'deregister_critical_service_after', since: '1.0' }],
    ['dockercontainerid', { use: 'docker_container_id', since: '1.0' }],
    ['scriptargs', { use: 'args' }],
    ['serviceid', { use: 'service_id', since: '1.0' }],
    ['tlsskipverify', { use: 'tls_skip_verify', since: '1.0' }],
  ]),
  refused: new Map([
    ['checkid', { use: 'id', since: '1.1.0' }],
    ['script', { use: 'args', since: '1.1.0' }],
    ['script_args', { use: 'args' }],
  ]),
}
