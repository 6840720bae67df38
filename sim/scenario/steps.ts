import { formatDuration } from '../../src/base/duration.ts'
import type { Result } from '../../src/base/result.ts'
import type { FileConfig } from '../../src/config/schema.ts'
import { type Failure, failureText } from '../../src/model/failure.ts'
import { releaseText } from '../../src/model/release.ts'
import { heldState } from '../checkers/held-state.ts'
import { type ActionScope, drawRange } from '../faults/action-scope.ts'
import type { Template } from '../notation/fields.ts'
import { patternOf } from './answers.ts'
import { judgeAsked } from './asked.ts'
import { performAuthority } from './authority.ts'
import { filled } from './filled.ts'
import { conditionText } from './judge.ts'
import { askedKeys } from './language/condition-schema.ts'
import type { Step } from './language/step-schema.ts'
import { performRequest } from './requests.ts'
import type { RunContext } from './run-context.ts'
import { performTogether } from './together.ts'
import { performTokens } from './tokens.ts'

type Path = readonly PropertyKey[]
type Conditions = Omit<NonNullable<Step['eventually']>, 'within'>

/** Interval at which an awaited condition is judged. */
const lookEveryMs = 10
/** The same for costly conditions, which send requests, or look at proxies or states. */
const askEveryMs = 100
const answerWithinMs = 10_000

/** Performs one step; an unmet expectation fails the run with the place of the step. */
export async function performStep(run: RunContext, step: Step, path: Path): Promise<void> {
  if (step.together !== undefined) return performTogether(run, step.together, path)
  if (step.wait !== undefined) return run.pass(drawRange(run.stepScope().draw, step.wait))
  if (step.http !== undefined) return performRequest(run, step, path)
  if (step.eventually !== undefined) return performEventually(run, step.eventually, [...path, 'eventually'])
  if (step.always !== undefined) return performAlways(run, step.always, path)
  if (step.never !== undefined) return performNever(run, step.never, path)
  if (step.expect !== undefined) return performExpect(run, step.expect, path)
  if (step.save !== undefined) return performSave(run, step.save, path)
  if (step.remember !== undefined) return performRemember(run, step.remember, path)
  if (step.workload !== undefined) {
    return run.switchWorkload(step.workload)
  }
  if (step.tokens !== undefined) return performTokens(run, step.tokens, path)
  if (step.authority !== undefined) return performAuthority(run, step.authority, path)
  if (step.reload !== undefined) return performReload(run, step.reload, path)
  if (step.upgrade !== undefined) return performUpgrade(run, step.upgrade, path)
  if (step['peers.json'] !== undefined) return performPeersJson(run, step['peers.json'], path)
  const deed = run.injector.perform(step, run.stepScope())
  if (deed.ok) run.tell('fault', deed.value)
  else run.fail(path, `cannot be done: ${deed.error}`)
}

async function performUpgrade(run: RunContext, upgrade: NonNullable<Step['upgrade']>, path: Path): Promise<void> {
  // In the given order: 'followers, leader' has the leader last.
  const named = [...new Set(upgrade.nodes.parts().flatMap((part) => run.select(part)))]
  const nodes = upgrade['in any order'] === true ? inAnyOrder(named, run.stepScope().draw) : named
  if (nodes.length === 0) return run.fail([...path, 'upgrade'], `'${upgrade.nodes.text}' is nobody now`)
  for (const [at, node] of nodes.entries()) {
    const refusal = run.cluster.upgrade(node, upgrade.to, (settings) => settingsAfter(settings, upgrade))
    if (refusal !== undefined || upgrade.refused !== undefined) {
      judgeRefusal(run, { node, refusal, expected: upgrade.refused }, [...path, 'upgrade'])
      if (run.hasFailed()) return
      continue
    }
    run.tell(
      'note',
      `${node} starts ${upgrade.to === undefined ? 'with other settings' : `as ${releaseText(upgrade.to)}`}`,
    )
    const pause = upgrade['one by one']
    if (at + 1 < nodes.length && pause !== undefined) await run.pass(drawRange(run.stepScope().draw, pause))
    if (upgrade.until !== undefined) await performEventually(run, upgrade.until, [...path, 'upgrade', 'until'])
    if (run.hasFailed()) return
  }
}

function inAnyOrder(nodes: readonly string[], draw: ActionScope['draw']): readonly string[] {
  const left = [...nodes]
  return nodes.flatMap(() => left.splice(draw.below(left.length), 1))
}

function settingsAfter(settings: FileConfig, { config, without = [] }: NonNullable<Step['upgrade']>): FileConfig {
  const entries = Object.entries({ ...settings, ...config })
  return Object.fromEntries(entries.filter(([name]) => !without.includes(name)))
}

/** A process that refuses its configuration ends at once, and has written nothing. */
function judgeRefusal(
  run: RunContext,
  {
    node,
    refusal,
    expected,
  }: { readonly node: string; readonly refusal: string | undefined; readonly expected: Template | undefined },
  path: Path,
): void {
  if (refusal === undefined) return run.fail(path, `${node} starts, which it must not`)
  if (expected === undefined) return run.fail(path, `${node} does not start: ${refusal}`)
  const text = filled(run, expected)
  const pattern = patternOf(text)
  const isMet = pattern === undefined ? refusal.includes(text) : new RegExp(pattern).test(refusal)
  if (!isMet) return run.fail(path, `${node} does not start, but for another reason: ${refusal}`)
  run.tell('note', `${node} does not start: ${refusal}`)
}

function performPeersJson(run: RunContext, file: NonNullable<Step['peers.json']>, path: Path): void {
  const at = run.select(file.at)
  const names = run.select(file.names)
  if (at.length === 0 || names.length === 0)
    return run.fail([...path, 'peers.json'], 'it is for nobody, or names nobody')
  const places = new Set([...at, ...names].map((node) => run.cluster.datacenterOf(node)))
  if (places.size > 1) return run.fail([...path, 'peers.json'], 'it is of one datacenter, and names another')
  for (const node of at) run.cluster.leavePeersJson(node, names, file.form)
  run.tell('note', `peers.json for ${at.join(' ')} names ${names.join(' ')}`)
}

/** Edits the configuration of some agents and makes them read it again, as SIGHUP does. */
async function performReload(run: RunContext, reload: NonNullable<Step['reload']>, path: Path): Promise<void> {
  const nodes = run.select(reload.of)
  if (nodes.length === 0) return run.fail([...path, 'reload'], `'${reload.of.text}' is nobody now`)
  for (const node of nodes) {
    const heard: { verdict?: Result<undefined, Failure> } = {}
    const told = (verdict: Result<undefined, Failure>): void => {
      heard.verdict = verdict
    }
    if (!run.cluster.reload(node, reload.config, told)) return run.fail([...path, 'reload'], `${node} does not run`)
    await run.passUntil(() => heard.verdict !== undefined, answerWithinMs)
    if (run.hasFailed()) return
    const refused = heard.verdict?.ok !== true
    if (refused !== (reload.refused === true)) {
      return run.fail([...path, 'reload'], `${node}: ${saidOf(heard.verdict)}`)
    }
    run.tell('note', `${node} ${refused ? 'refuses its new configuration' : 'has read its configuration again'}`)
  }
}

function saidOf(verdict: Result<undefined, Failure> | undefined): string {
  if (verdict === undefined) return 'no verdict in time'
  return verdict.ok ? 'reloaded' : failureText(verdict.error)
}

function performSave(run: RunContext, save: NonNullable<Step['save']>, path: Path): void {
  for (const [name, selector] of Object.entries(save)) {
    const servers = run.select(selector)
    if (servers.length === 0) run.fail([...path, 'save', name], `'${selector.text}' is nobody now`)
    run.saved.set(name, servers)
    run.tell('note', `${name}: ${servers.join(' ')}`)
  }
}

function performRemember(run: RunContext, name: string, path: Path): void {
  const leader = run.cluster.leader()
  const state = leader === undefined ? undefined : run.cluster.stateOf(leader)
  if (state === undefined) return run.fail([...path, 'remember'], 'nobody leads now')
  const held = heldState(state)
  run.remembered.set(name, held)
  run.tell('note', `${name}: ${[...held].map(([part, rows]) => `${part} ${rows.size}`).join(', ')}`)
}

async function performExpect(run: RunContext, expected: NonNullable<Step['expect']>, path: Path): Promise<void> {
  const found = await unmet(run, expected)
  if (found !== undefined) run.fail([...path, 'expect'], `expected ${conditionText(expected)}: ${found}`)
}

async function performEventually(run: RunContext, awaited: NonNullable<Step['eventually']>, path: Path): Promise<void> {
  const untilUs = run.simulation.nowUs + awaited.within * 1000
  let found: string | undefined
  while (!run.hasFailed()) {
    found = await unmet(run, awaited)
    if (found === undefined) return
    const leftMs = (untilUs - run.simulation.nowUs) / 1000
    if (leftMs <= 0) break
    await run.pass(Math.min(leftMs, isDear(awaited) ? askEveryMs : lookEveryMs))
  }
  if (run.hasFailed()) return
  const what = `not within ${formatDuration(awaited.within)}: ${conditionText(awaited)}`
  run.fail(path, `${what}: ${found}`)
}

async function performAlways(run: RunContext, held: NonNullable<Step['always']>, path: Path): Promise<void> {
  let found = run.judge(held)
  await run.passUntil(() => {
    found ??= run.judge(held)
    return found !== undefined
  }, held.for)
  if (found !== undefined) run.fail([...path, 'always'], `always ${conditionText(held)}: now ${found}`)
}

async function performNever(run: RunContext, shunned: NonNullable<Step['never']>, path: Path): Promise<void> {
  const met = await run.passUntil(() => run.judge(shunned) === undefined, shunned.for)
  if (met) run.fail([...path, 'never'], `never ${conditionText(shunned)}: now it is so`)
}

/** What is true instead of the conditions; undefined if all hold. */
async function unmet(run: RunContext, conditions: Conditions): Promise<string | undefined> {
  return run.judge(conditions) ?? (await judgeAsked(run, conditions))
}

/** Whether judging them costs more than a look at the servers' state. */
function isDear(conditions: Conditions): boolean {
  return [...askedKeys, 'mesh', 'holds'].some((key) => conditions[key as keyof Conditions] !== undefined)
}
