import type { Naming } from '../../model/naming/naming.ts'
import { toldUnder } from '../../model/naming/told.ts'
import { isAtLeast, newestRelease, oldestRelease, parseRelease, releaseText } from '../../model/release.ts'
import { clientFlags, failed, misused, surplusOperands } from '../api/client.ts'
import type { CliCommand } from '../command.ts'
import { reportFormatFlag } from '../listing.ts'
import type { UpgradeCheck } from '../upgrade-check.ts'
import type { CheckedAgent, CheckedCluster, Finding } from '../upgrade-findings.ts'

/** Exit code if something blocks the upgrade. */
const blocked = 2

export const upgradeCheckCommand: CliCommand = {
  path: ['operator', 'upgrade', 'check'],
  summary: 'Show what prevents an upgrade of the cluster',
  operands: '',
  about: [
    'Reads members, consensus group and health of the datacenter as this agent knows them; changes nothing.',
    'Exits with 0 if nothing prevents it, with 2 if something does, with 1 if that is unknown.',
  ].join(' '),
  flags: [
    {
      name: 'to',
      kind: 'text',
      value: '<release>',
      help: `The release that all agents shall run. Default: the newest, ${releaseText(newestRelease)}.`,
    },
    reportFormatFlag,
    ...clientFlags,
  ],
  async run(invocation) {
    const { flags, terminal } = invocation
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const wanted = flags.get('to')
    const to = typeof wanted === 'string' ? parseRelease(wanted) : newestRelease
    if (to === undefined || !isAtLeast(to, oldestRelease) || !isAtLeast(newestRelease, to)) {
      const known = `${releaseText(oldestRelease)} to ${releaseText(newestRelease)}`
      return misused(
        invocation,
        `There is no release ${JSON.stringify(wanted)}: write one from ${known}, with three numbers`,
      )
    }
    const format = flags.get('format') ?? 'text'
    const [{ readCluster }, { checkUpgrade }] = await Promise.all([
      import('../upgrade-facts.ts'),
      import('../upgrade-check.ts'),
    ])
    const cluster = await readCluster(invocation)
    if (!cluster.ok) return failed(invocation, cluster.error)
    const check = toldCheck(invocation.naming, checkUpgrade(cluster.value, to))
    terminal.out(format === 'json' ? json(cluster.value, check) : text(cluster.value, check))
    return check.inTheWay.length === 0 ? 0 : blocked
  },
}

/** The check, whose remedies name this program. */
function toldCheck(naming: Naming, check: UpgradeCheck): UpgradeCheck {
  const told = (findings: readonly Finding[]) =>
    findings.map((finding) => ({ ...finding, remedy: toldUnder(naming, finding.remedy) }))
  return { ...check, inTheWay: told(check.inTheWay), notes: told(check.notes) }
}

function text(cluster: CheckedCluster, check: UpgradeCheck): string {
  const { datacenter, servers, clients } = cluster
  const lines = [
    `Upgrade of ${datacenter} to ${releaseText(check.to)}: ${counted(servers, 'server')}, ${counted(clients, 'client')}.`,
    ...section('In the way', check.inTheWay),
    ...section('Needs attention', check.notes),
    check.inTheWay.length === 0 ? 'Nothing is in the way.' : `In the way: ${check.inTheWay.length}.`,
    ...planLine(cluster, check),
  ]
  return `${lines.join('\n')}\n`
}

/** `3 servers (1.0.7)`. */
function counted(agents: readonly CheckedAgent[], what: string): string {
  const releases = [...new Set(agents.map(({ release }) => (release === undefined ? '?' : releaseText(release))))]
  const which = releases.length === 0 ? '' : ` (${releases.join(', ')})`
  return `${agents.length} ${what}${agents.length === 1 ? '' : 's'}${which}`
}

function section(title: string, findings: readonly Finding[]): readonly string[] {
  return findings.length === 0 ? [] : [`${title}:`, ...findings.map(({ what, remedy }) => `  - ${what}: ${remedy}`)]
}

function planLine({ servers }: CheckedCluster, { from, to }: UpgradeCheck): readonly string[] {
  if (from === undefined || isAtLeast(from, to)) return []
  return [
    `The steps, and why: svc-sim plan --from ${releaseText(from)} --to ${releaseText(to)} --servers ${servers.length}`,
  ]
}

function json({ datacenter, servers, clients }: CheckedCluster, { to, from, inTheWay, notes }: UpgradeCheck): string {
  const agent = ({ name, release, status }: CheckedAgent): object => ({
    Name: name,
    Release: release === undefined ? '' : releaseText(release),
    Status: status,
  })
  const findings = (found: readonly Finding[]): readonly object[] =>
    found.map(({ kind, what, remedy }) => ({ Kind: kind, What: what, Remedy: remedy }))
  const report = {
    Datacenter: datacenter,
    From: from === undefined ? '' : releaseText(from),
    To: releaseText(to),
    Ready: inTheWay.length === 0,
    InTheWay: findings(inTheWay),
    Notes: findings(notes),
    Servers: servers.map((server) => ({
      ...agent(server),
      RaftProtocol: server.raftProtocol,
      Leader: server.leads,
      Voter: server.voter ?? null,
      Healthy: server.healthy ?? null,
    })),
    Clients: clients.map(agent),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}
