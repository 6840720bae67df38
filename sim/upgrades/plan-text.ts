import { optionText, type RefusedOption } from '../../src/config/past/removed.ts'
import { releaseText } from '../../src/model/release.ts'
import { adviceAt, type Moment } from '../../src/model/upgrade-note.ts'
import type { PlannedLeg, PlanOrder, PlanStep, ServerStep, UpgradePlan } from './plan.ts'
import { sourceText } from './reasons.ts'

/** The plan as an operator reads it: what to do, in order, and why. */
export function planText(plan: UpgradePlan): string {
  const lines = [headline(plan.order), wayText(plan)]
  if (plan.warnings.length > 0) lines.push('', ...plan.warnings.map((warning) => `! ${warning}`))
  let number = 0
  for (const [at, planned] of plan.legs.entries()) {
    lines.push('', ...legLines(planned, at === 0 ? undefined : plan.legs[at - 1]))
    lines.push(...section('Before', before(planned)))
    lines.push('  Steps:')
    for (const step of planned.steps) {
      number++
      const isFirst = step.datacenter === plan.order.datacenters[0]
      const why = isFirst ? step.why : [`As in ${plan.order.datacenters[0]}.`]
      lines.push(`    ${number}. ${stepText(step)}`, ...why.map((reason) => `       why: ${reason}`))
    }
    lines.push(...section('During the steps', advice(planned, 'during')))
    lines.push(...section('After', [...advice(planned, 'after'), ...afterwards(planned)]))
  }
  return `${lines.join('\n')}\n`
}

function headline({ from, to, servers, datacenters, accessControl }: PlanOrder): string {
  const counted = `${servers} server${servers === 1 ? '' : 's'}${datacenters.length > 1 ? ' in each of' : ' in'} ${datacenters.join(', ')}`
  return `From ${releaseText(from)} to ${releaseText(to)}: ${counted}, ${accessControl ? 'with' : 'without'} access control.`
}

function wayText({ order, legs }: UpgradePlan): string {
  const way = [order.from, ...legs.map(({ leg }) => leg.to)].map(releaseText).join(' -> ')
  const protocols = legs.flatMap(({ leg }) => leg.protocols)
  const spoken = protocols.filter((protocol, at) => protocol !== protocols[at - 1]).join(' -> ')
  return `Releases: ${way}. Raft protocol: ${spoken}.`
}

function legLines({ leg }: PlannedLeg, previous: PlannedLeg | undefined): readonly string[] {
  const title = `== ${releaseText(leg.from)} to ${releaseText(leg.to)} ==`
  const why = leg.stop === undefined ? [] : [`  Why this stop: ${leg.stop}`]
  return [
    title,
    ...(previous === undefined ? [] : ['  Begin when the steps above are done and all agents are healthy.']),
    ...why,
  ]
}

function before(planned: PlannedLeg): readonly string[] {
  return [...advice(planned, 'before'), ...refusedLines(planned.refused)]
}

/** Options with the same remedy in one line. */
function refusedLines(refused: readonly RefusedOption[]): readonly string[] {
  const together = new Map<string, string[]>()
  for (const option of refused) {
    const spared = option.spared === undefined ? '' : `; ${option.spared}`
    const remedy = `refused since ${releaseText(option.since)}: ${option.instead}${spared}.`
    together.set(remedy, [...(together.get(remedy) ?? []), `\`${optionText(option)}\``])
  }
  return [...together].map(([remedy, options]) => `${options.join(', ')}: ${remedy}`)
}

function advice({ notes }: PlannedLeg, moment: Moment): readonly string[] {
  return notes.flatMap((note) => adviceAt(note, moment).map((sentence) => `${sentence} ${sourceText(note)}`))
}

function afterwards({ leg }: PlannedLeg): readonly string[] {
  const done = [`Check builds and protocols: \`svc members\` must show ${releaseText(leg.to)} for every agent.`]
  if (leg.protocols.length <= 2) return done
  return [...done, `Remove \`raft_protocol\` from the configuration: ${leg.protocols.at(-1)} is the default now.`]
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`  ${title}:`, ...lines.map((line) => `    - ${line}`)]
}

/** One step as a clause, with the sign by which an operator knows that it is done. */
function stepText(step: PlanStep): string {
  const where = step.datacenter
  if (step.kind === 'agents') {
    return `${where}: every agent with protocol = ${step.agentProtocol}, servers first, the leader last of them; after each one wait until it is alive.`
  }
  if (step.kind === 'clients') {
    const set = step.agentProtocol === undefined ? '' : ` with protocol = ${step.agentProtocol}`
    return `${where}: clients to ${releaseText(step.release)}${set}, one by one; after each one wait until it is alive and its services are passing.`
  }
  const target = serverTarget(step)
  if (step.names === 'peers.json') {
    return `${where}: stop the server, write raft/peers.json with its node ID and address into its data directory, and start it ${target}; wait until it leads.`
  }
  if (step.voters === 1) return `${where}: restart the server ${target}; wait until it leads.`
  const waited = step.names === 'leader' ? 'a voter under its node ID' : 'healthy'
  return `${where}: servers ${target}, one by one, the leader last; after each one wait until it is ${waited} and has caught up (\`svc operator raft list-peers\`, /v1/operator/autopilot/health).`
}

function serverTarget({ release, raftProtocol, agentProtocol }: ServerStep): string {
  const settings = [
    ...(raftProtocol === undefined ? [] : [`raft_protocol = ${raftProtocol}`]),
    ...(agentProtocol === undefined ? [] : [`protocol = ${agentProtocol}`]),
  ]
  const set = settings.length === 0 ? '' : ` with ${settings.join(', ')}`
  return release === undefined ? set.trim() : `as ${releaseText(release)}${set}`
}
