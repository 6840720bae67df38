import { z } from 'zod'
import type { FileConfig } from '../../../src/config/schema.ts'
import { releaseText } from '../../../src/model/release.ts'
import { drawRange } from '../../faults/action-scope.ts'
import { durationRange, release, selector, type Template, template } from '../../notation/fields.ts'
import { filled, patternOf } from '../answers.ts'
import { nodeConfig } from '../node-config.ts'
import { type Path, type StepRun, step } from './step.ts'
import { awaited, performEventually } from './waits.ts'

const upgraded = z
  .strictObject({
    nodes: selector.describe(
      "The agents to upgrade, one after the other in the order in which they are named: 'followers, leader'.",
    ),
    'in any order': z
      .literal(true)
      .optional()
      .describe('In an order drawn from the seed, instead of the order in which they are named.'),
    to: release.optional().describe('The release that they run from now on; their present one if absent.'),
    config: nodeConfig.optional().describe('Settings that replace those of the same name.'),
    without: z.array(z.string()).optional().describe('Names of settings that are removed.'),
    gracefully: z
      .literal(true)
      .optional()
      .describe('Each is sent SIGTERM first, as an init system does, and is killed only if it still runs 90 s later.'),
    refused: template
      .optional()
      .describe('They must refuse to start with this reason: a text that it contains, or /a regular expression/.'),
    'one by one': durationRange.optional().describe('Time between two of them.'),
    until: awaited
      .optional()
      .describe('Waits after each of them until these conditions hold, and only then continues with the next.'),
  })
  .describe('Ends agents as kill does, and starts them on the same disk, as another release or with other settings.')

/** As systemd waits of itself. */
const stopTimeoutMs = 90_000

type Upgrade = z.output<typeof upgraded>

export const upgrade = step(upgraded, performUpgrade)

async function performUpgrade(run: StepRun, upgrade: Upgrade, path: Path): Promise<void> {
  // In the given order: 'followers, leader' has the leader last.
  const named = [...new Set(upgrade.nodes.parts().flatMap((part) => run.select(part)))]
  const nodes = upgrade['in any order'] === true ? run.stepScope().draw.inOrder(named, (name) => name) : named
  if (nodes.length === 0) return run.fail([...path, 'upgrade'], `'${upgrade.nodes.text}' matches no node now`)
  for (const [at, node] of nodes.entries()) {
    if (upgrade.gracefully === true) await stopped(run, node)
    if (run.hasFailed()) return
    const refusal = run.simulation.decisions.because(run.stepScope().draw, () =>
      run.cluster.orders.upgrade(node, upgrade.to, (settings) => settingsAfter(settings, upgrade)),
    )
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

/** One that has not come up yet, or is paused, has no use for a signal. */
async function stopped(run: StepRun, node: string): Promise<void> {
  const { cluster } = run
  if (cluster.agentOf(node) === undefined || cluster.nodeOf(node).paused) return
  cluster.orders.signal(node, 'SIGTERM')
  await run.passUntil(() => !cluster.isRunning(node), stopTimeoutMs)
}

function settingsAfter(settings: FileConfig, { config, without = [] }: Upgrade): FileConfig {
  const entries = Object.entries({ ...settings, ...config })
  return Object.fromEntries(entries.filter(([name]) => !without.includes(name)))
}

/** A process that refuses its configuration ends at once, and has written nothing. */
function judgeRefusal(
  run: StepRun,
  {
    node,
    refusal,
    expected,
  }: { readonly node: string; readonly refusal: string | undefined; readonly expected: Template | undefined },
  path: Path,
): void {
  if (refusal === undefined) return run.fail(path, `${node} starts, but it must refuse to start`)
  if (expected === undefined) return run.fail(path, `${node} does not start: ${refusal}`)
  const text = filled(run, expected)
  const pattern = patternOf(text)
  const isMet = pattern === undefined ? refusal.includes(text) : new RegExp(pattern).test(refusal)
  if (!isMet) return run.fail(path, `${node} does not start, but for another reason: ${refusal}`)
  run.tell('note', `${node} does not start: ${refusal}`)
}
