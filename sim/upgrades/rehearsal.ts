import { type Release, releaseText } from '../../src/model/release.ts'
import type { AgentStep, ClientStep, PlanOrder, PlanStep, ServerStep, UpgradePlan } from './plan.ts'

/** Lines of a scenario file that rehearses a plan, step by step. */
export function rehearsalText(plan: UpgradePlan, command: string): string {
  const lines = [...head(plan.order, command), 'steps:', ...beginning(plan.order)]
  for (const { leg, steps } of plan.legs) {
    for (const step of steps) lines.push('', ...stepLines(step, plan.order))
    lines.push('', ...upgradedLines(leg.to, plan.order))
  }
  return `${lines.join('\n')}\n`
}

function stepLines(step: PlanStep, order: PlanOrder): readonly string[] {
  if (step.kind === 'servers') return serverLines(step, order)
  return step.kind === 'clients' ? clientLines(step, order) : agentLines(step, order)
}

/** The parts of a plan that the scenario does not show, and why. */
export function unrehearsed({ order, legs }: UpgradePlan): readonly string[] {
  const settings = legs.some(({ refused }) => refused.length > 0)
  return [
    ...(order.accessControl
      ? ['Access control: the cluster of the rehearsal runs without it, so no request is refused there.']
      : []),
    ...(settings
      ? [
          'Options that a release on the way refuses: add the options of your configuration to the rehearsal to see them.',
        ]
      : []),
  ]
}

/**
 * Time limit of each condition: longer than any election or change of the group takes. A run that goes well does not
 * wait for it.
 */
const within = '60s'

/** The leader looks for newly introduced servers every two seconds, and makes one change at a time. */
const renamedAfter = '4s'

function head(order: PlanOrder, command: string): readonly string[] {
  const { servers, clients, datacenters } = order
  const many = datacenters.length > 1
  const release = releaseText(order.from)
  const inEach = many
    ? `${datacenters.length} datacenters with ${counted(servers, 'server')} each are`
    : `${counted(servers, 'server')} ${servers === 1 ? 'is' : 'are'}`
  return [
    `scenario: ${title(order)}`,
    'about: |',
    `  A rehearsal, written by '${command}'. While programs read and write keys and`,
    `  follow a service, ${inEach} taken from ${release} to ${releaseText(order.to)} by the steps of the plan.`,
    '  No write that was acknowledged is lost, and no client that follows the service sees it missing.',
    'tags: [upgrade, rehearsal]',
    '',
    'cluster:',
    ...datacenters.flatMap((datacenter) => [
      `  ${datacenter}:`,
      `    servers: { count: ${servers}, release: ${release} }`,
      ...(clients === 0
        ? []
        : [
            `    clients: { count: ${clients}, release: ${release}, config: { services: [{ name: web, port: 8080 }] } }`,
          ]),
      `    config: { ${many ? 'retry_interval_wan: 2s, ' : ''}performance: { raft_multiplier: 1 } }`,
    ]),
    'network: { latency: 1ms..5ms }',
    'workload:',
    ...datacenters.flatMap((datacenter) => [
      `  shoppers of ${datacenter}:`,
      ...(many ? [`    datacenter: ${datacenter}`] : []),
      `    at: ${datacenter}/servers`,
      '    clients: 2',
      '    operations: [kv.get, kv.put, kv.cas]',
      '    keys: 4',
      '    rate: 4/s',
    ]),
    ...(clients === 0
      ? []
      : [
          'watchers:',
          ...datacenters.map(
            (datacenter) =>
              `  users of ${datacenter}: { at: ${datacenter}/clients, service: web, at least: ${clients}, silent for at most: ${silence(servers)} }`,
          ),
        ]),
    '',
  ]
}

/**
 * Without a leader, older agents cannot answer over DNS. With one or two servers, there is no leader while one of them
 * restarts.
 */
function silence(servers: number): string {
  return servers < 3 ? '30s' : '10s'
}

function title({ from, to, servers, datacenters }: PlanOrder): string {
  const where = datacenters.length > 1 ? ` in ${datacenters.length} datacenters` : ''
  return `From release ${releaseText(from)} to ${releaseText(to)} with ${counted(servers, 'server')}${where}`
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function beginning(order: PlanOrder): readonly string[] {
  return order.datacenters.flatMap((datacenter, at) => [
    `  - step: the servers of ${datacenter} have a leader${order.clients === 0 ? '' : ', and the service is there'}`,
    '    eventually:',
    `      within: ${within}`,
    ...standing(datacenter, order, '      '),
    `  - step: a key is written in ${datacenter}`,
    `    http: { at: ${datacenter}/leader, request: PUT /v1/kv/${key(at)}, body: before }`,
    '    expect: { status: 200, body: "true" }',
  ])
}

/** The key of the datacenter at this position. */
function key(at: number): string {
  return `upgrade-${at + 1}`
}

/** One server leads, every agent runs and knows all others, and the service is registered. */
function standing(datacenter: string, { clients }: PlanOrder, indent: string): readonly string[] {
  const web = `answer: { at: ${datacenter}/nodes, request: "GET /v1/health/service/web?passing", body: '/(.*"Service":"web"){${clients}}/' }`
  return [
    `leader: exactly one`,
    `among: ${datacenter}/servers`,
    `running: ${datacenter}/nodes`,
    'raft.applied: equal on all',
    ...(clients === 0 ? [] : [web]),
  ].map((line) => `${indent}${line}`)
}

function serverLines(step: ServerStep, order: PlanOrder): readonly string[] {
  const { datacenter, names } = step
  if (order.servers === 1) return [...(names === 'peers.json' ? peersJsonLines(datacenter) : []), ...alone(step)]
  return [
    `  - step: the servers of ${datacenter} ${targetText(step)}, one by one and the leader last`,
    ...upgradeLines(step, `"${datacenter}/followers, ${datacenter}/leader"`),
    ...(names === 'leader' ? namedLines(step) : []),
  ]
}

function targetText({ release, raftProtocol }: ServerStep): string {
  if (release === undefined) return `speak Raft protocol ${raftProtocol}`
  return `go to ${releaseText(release)}${raftProtocol === undefined ? '' : ` with Raft protocol ${raftProtocol}`}`
}

function configLines({
  raftProtocol,
  agentProtocol,
}: Pick<ServerStep, 'raftProtocol' | 'agentProtocol'>): readonly string[] {
  const settings = [
    ...(raftProtocol === undefined ? [] : [`raft_protocol: ${raftProtocol}`]),
    ...(agentProtocol === undefined ? [] : [`protocol: ${agentProtocol}`]),
  ]
  return settings.length === 0 ? [] : [`      config: { ${settings.join(', ')} }`]
}

function upgradeLines(step: ServerStep, nodes: string): readonly string[] {
  const { datacenter, release, names } = step
  return [
    '    upgrade:',
    `      nodes: ${nodes}`,
    ...(release === undefined ? [] : [`      to: ${releaseText(release)}`]),
    ...configLines(step),
    // Clients are killed: by leave_on_terminate, their default, they would leave the pool, and their services with them.
    '      gracefully: true',
    `      one by one: ${names === 'leader' ? renamedAfter : '1s'}`,
    `      until:`,
    `        within: ${within}`,
    `        leader: exactly one`,
    `        among: ${datacenter}/servers`,
    `        running: ${datacenter}/servers`,
    '        raft.applied: equal on all',
    ...(names === 'leader'
      ? [
          `        answer: { at: ${datacenter}/leader, request: GET /v1/operator/raft/configuration, body: '${allIn(step.voters)}' }`,
        ]
      : []),
  ]
}

/** No server of protocol 3 is still named by its address, or missing from the group while its name changes. */
function allIn(voters: number): string {
  return `/^(?!.*"ID":"[0-9.]+:[0-9]+"[^}]*"ProtocolVersion":"3")(?=(.*"Voter":true){${voters}})/`
}

function namedLines({ datacenter, voters }: ServerStep): readonly string[] {
  const named = `{"ID":"[0-9a-f-]{36}"[^}]*"ProtocolVersion":"3","Voter":true},?`
  return [
    `  - step: ${voters} of ${datacenter} are named by their node IDs and have a vote`,
    '    eventually:',
    `      within: ${within}`,
    `      answer: { at: ${datacenter}/leader, request: GET /v1/operator/raft/configuration, body: '/(${named}.*){${voters}}/' }`,
  ]
}

function peersJsonLines(datacenter: string): readonly string[] {
  return [
    `  - step: a raft/peers.json tells the server of ${datacenter} its new name`,
    `    peers.json: { at: ${datacenter}/servers, names: ${datacenter}/servers }`,
  ]
}

function alone(step: ServerStep): readonly string[] {
  return [
    `  - step: the server of ${step.datacenter} ${targetText(step)}`
      .replace(' go to ', ' goes to ')
      .replace(' speak ', ' speaks '),
    ...upgradeLines(step, `${step.datacenter}/servers`),
  ]
}

function agentLines({ datacenter, agentProtocol }: AgentStep, order: PlanOrder): readonly string[] {
  return [
    `  - step: every agent of ${datacenter} speaks version ${agentProtocol} of the protocol between agents`,
    '    upgrade:',
    `      nodes: "${datacenter}/followers, ${datacenter}/leader, ${datacenter}/clients"`,
    ...configLines({ agentProtocol }),
    '      until:',
    `        within: ${within}`,
    ...standing(datacenter, order, '        '),
  ]
}

function clientLines(step: ClientStep, order: PlanOrder): readonly string[] {
  const { datacenter, release } = step
  return [
    `  - step: the clients of ${datacenter} go to ${releaseText(release)}`,
    '    upgrade:',
    `      nodes: ${datacenter}/clients`,
    `      to: ${releaseText(release)}`,
    ...configLines(step),
    '      until:',
    `        within: ${within}`,
    ...standing(datacenter, order, '        '),
  ]
}

/** Every agent runs the release, and no data was lost. */
function upgradedLines(release: Release, { datacenters }: PlanOrder): readonly string[] {
  const another = `"build":"(?!${releaseText(release).replaceAll('.', '[.]')}:)`
  return datacenters.flatMap((datacenter, at) => [
    `  - step: every agent of ${datacenter} runs ${releaseText(release)}`,
    '    eventually:',
    `      within: ${within}`,
    `      answer: { at: ${datacenter}/nodes, request: GET /v1/agent/members, body: '/^(?!.*${another})/' }`,
    '  - step: and every server has what was there before',
    `    expect: { kv: { key: ${key(at)}, value: before, at: ${datacenter}/servers, consistency: stale } }`,
  ])
}
