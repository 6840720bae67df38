import { type MemberNames, type Members, memberTable, type OldSpellings } from './definition-members.ts'

const weightMembers = {
  passing: { http: ['Passing'], file: 'passing', holds: 'integer' },
  warning: { http: ['Warning'], file: 'warning', holds: 'integer' },
} as const satisfies Members

export const weightNames = memberTable(weightMembers)

const upstreamMembers = {
  type: { http: ['DestinationType', 'destination_type'], file: 'destination_type', holds: 'text' },
  namespace: { http: ['DestinationNamespace', 'destination_namespace'], file: 'destination_namespace', holds: 'text' },
  name: { http: ['DestinationName', 'destination_name'], file: 'destination_name', holds: 'text' },
  datacenter: { http: ['Datacenter'], file: 'datacenter', holds: 'text' },
  localAddress: { http: ['LocalBindAddress', 'local_bind_address'], file: 'local_bind_address', holds: 'text' },
  localPort: { http: ['LocalBindPort', 'local_bind_port'], file: 'local_bind_port', holds: 'integer' },
  config: { http: ['Config'], file: 'config', holds: 'settings' },
} as const satisfies Members

export type UpstreamMembers = typeof upstreamMembers

export const upstreamNames = memberTable(upstreamMembers)

const proxyMembers = {
  destination: {
    http: ['DestinationServiceName', 'destination_service_name'],
    file: 'destination_service_name',
    holds: 'text',
  },
  destinationId: {
    http: ['DestinationServiceID', 'destination_service_id'],
    file: 'destination_service_id',
    holds: 'text',
  },
  localAddress: {
    http: ['LocalServiceAddress', 'local_service_address'],
    file: 'local_service_address',
    holds: 'text',
  },
  localPort: { http: ['LocalServicePort', 'local_service_port'], file: 'local_service_port', holds: 'integer' },
  config: { http: ['Config'], file: 'config', holds: 'settings' },
  upstreams: { http: ['Upstreams'], file: 'upstreams', holds: 'objects', members: upstreamMembers },
} as const satisfies Members

export const proxyNames = memberTable(proxyMembers)

const managedMembers = {
  execMode: { http: ['ExecMode', 'exec_mode'], file: 'exec_mode', holds: 'text' },
  command: { http: ['Command'], file: 'command', holds: 'texts' },
  config: { http: ['Config'], file: 'config', holds: 'settings' },
  upstreams: { http: ['Upstreams'], file: 'upstreams', holds: 'objects', from: 'sidecars', members: upstreamMembers },
} as const satisfies Members

export const managedNames = memberTable(managedMembers)

const connectMembers = {
  native: { http: ['Native'], file: 'native', holds: 'flag' },
  sidecar: {
    http: ['SidecarService', 'sidecar_service'],
    file: 'sidecar_service',
    holds: 'definition',
    from: 'sidecars',
  },
  proxy: { http: ['Proxy'], file: 'proxy', holds: 'object', members: managedMembers },
} as const satisfies Members

export const connectNames = memberTable(connectMembers)

/**
 * Members of a check definition. `id` has another name over HTTP if the check is part of a service. Reference:
 * definitions.md#common-members, definitions.md#check-types.
 */
const checkMembers = {
  id: { http: ['ID'], file: 'id', holds: 'text' },
  name: { http: ['Name'], file: 'name', holds: 'text' },
  notes: { http: ['Notes'], file: 'notes', holds: 'text' },
  status: { http: ['Status'], file: 'status', holds: 'text' },
  serviceId: { http: ['ServiceID', 'service_id'], file: 'service_id', holds: 'text' },
  token: { http: ['Token'], file: 'token', holds: 'text' },
  ttl: { http: ['TTL'], file: 'ttl', holds: 'duration' },
  http: { http: ['HTTP'], file: 'http', holds: 'text' },
  method: { http: ['Method'], file: 'method', holds: 'text' },
  header: { http: ['Header'], file: 'header', holds: 'textLists' },
  tcp: { http: ['TCP'], file: 'tcp', holds: 'text', from: 'tcp-and-docker-checks' },
  args: { http: ['ScriptArgs', 'Args', 'script_args'], file: 'args', holds: 'texts', from: 'check-args' },
  script: { http: ['Script'], file: 'script', holds: 'text', until: 'old-definition-keys-refused' },
  shell: { http: ['Shell'], file: 'shell', holds: 'text' },
  dockerContainerId: {
    http: ['DockerContainerID', 'docker_container_id'],
    file: 'docker_container_id',
    holds: 'text',
    from: 'tcp-and-docker-checks',
  },
  grpc: { http: ['GRPC'], file: 'grpc', holds: 'text', from: 'grpc-checks' },
  grpcUseTls: { http: ['GRPCUseTLS', 'grpc_use_tls'], file: 'grpc_use_tls', holds: 'flag', from: 'grpc-checks' },
  aliasNode: { http: ['AliasNode', 'alias_node'], file: 'alias_node', holds: 'text', from: 'alias-checks' },
  aliasService: { http: ['AliasService', 'alias_service'], file: 'alias_service', holds: 'text', from: 'alias-checks' },
  interval: { http: ['Interval'], file: 'interval', holds: 'duration' },
  timeout: { http: ['Timeout'], file: 'timeout', holds: 'duration' },
  tlsSkipVerify: { http: ['TLSSkipVerify', 'tls_skip_verify'], file: 'tls_skip_verify', holds: 'flag' },
  deregisterAfter: {
    http: ['DeregisterCriticalServiceAfter', 'deregister_critical_service_after'],
    file: 'deregister_critical_service_after',
    holds: 'duration',
    from: 'critical-services-deregister',
  },
} as const satisfies Members

export type CheckName = keyof typeof checkMembers

/** Keyed by meaning, whatever the member's name. */
export type CheckMembers = {
  readonly [Key in CheckName]: MemberNames & { readonly holds: (typeof checkMembers)[Key]['holds'] }
}

export const checkNames = memberTable<CheckMembers>(checkMembers)

const serviceCheckMembers: CheckMembers = { ...checkMembers, id: { http: ['CheckID'], file: 'id', holds: 'text' } }

export const serviceCheckNames = memberTable(serviceCheckMembers)

/** Reference: configuration.md#fact-7, configuration.md#removed-service-keys-serviceid. */
export const checkOldSpellings: OldSpellings = {
  camel: new Map([
    [
      'deregistercriticalserviceafter',
      { use: 'deregister_critical_service_after', since: '1.0', by: 'old-options-refused' },
    ],
    ['dockercontainerid', { use: 'docker_container_id', since: '1.0', by: 'old-options-refused' }],
    ['scriptargs', { use: 'args' }],
    ['serviceid', { use: 'service_id', since: '1.0', by: 'old-options-refused' }],
    ['tlsskipverify', { use: 'tls_skip_verify', since: '1.0', by: 'old-options-refused' }],
  ]),
  refused: new Map([
    ['checkid', { use: 'id', since: '1.1.0', by: 'old-definition-keys-refused' }],
    ['script', { use: 'args', since: '1.1.0', by: 'old-definition-keys-refused' }],
    ['script_args', { use: 'args' }],
  ]),
}

/** Members of a service definition. Reference: definitions.md#service-definition. */
const serviceMembers = {
  id: { http: ['ID'], file: 'id', holds: 'text' },
  name: { http: ['Name'], file: 'name', holds: 'text' },
  tags: { http: ['Tags'], file: 'tags', holds: 'texts' },
  address: { http: ['Address'], file: 'address', holds: 'text' },
  port: { http: ['Port'], file: 'port', holds: 'integer' },
  meta: { http: ['Meta'], file: 'meta', holds: 'pairs', from: 'service-meta' },
  kind: { http: ['Kind'], file: 'kind', holds: 'text', from: 'mesh' },
  weights: { http: ['Weights'], file: 'weights', holds: 'object', from: 'service-weights', members: weightMembers },
  enableTagOverride: {
    http: ['EnableTagOverride', 'enable_tag_override'],
    file: 'enable_tag_override',
    holds: 'flag',
    from: 'tcp-and-docker-checks',
  },
  token: { http: ['Token'], file: 'token', holds: 'text' },
  check: { http: ['Check'], file: 'check', holds: 'object', members: serviceCheckMembers },
  checks: { http: ['Checks'], file: 'checks', holds: 'objects', members: serviceCheckMembers },
  proxy: { http: ['Proxy'], file: 'proxy', holds: 'object', from: 'sidecars', members: proxyMembers },
  proxyDestination: {
    http: ['ProxyDestination', 'proxy_destination'],
    file: 'proxy_destination',
    holds: 'text',
    from: 'mesh',
  },
  connect: { http: ['Connect'], file: 'connect', holds: 'object', from: 'mesh', members: connectMembers },
} as const satisfies Members

export const serviceNames = memberTable(serviceMembers)

export type ServiceMembers = typeof serviceMembers
export type ServiceName = keyof ServiceMembers

export const serviceOldSpellings: OldSpellings = {
  camel: new Map(),
  refused: new Map([
    ['enabletagoverride', { use: 'enable_tag_override', since: '1.1.0', by: 'old-definition-keys-refused' }],
  ]),
}
