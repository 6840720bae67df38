import { z } from 'zod'
import type { Result } from '../../../src/base/result.ts'
import { type Failure, failureText } from '../../../src/model/failure.ts'
import { selector } from '../../notation/fields.ts'
import { nodeConfig } from '../node-config.ts'
import { type Path, type StepRun, step } from './step.ts'

const answerWithinMs = 10_000

const reloaded = z
  .strictObject({
    of: selector.describe('The agents whose configuration is edited.'),
    config: nodeConfig.describe('Settings that replace those of the same name.'),
    refused: z.literal(true).optional().describe('The agent must refuse it and continue with the old one.'),
  })
  .describe('Edits the configuration of running agents and reloads it.')

export const reload = step(reloaded, performReload)

/** Edits the configuration of some agents and makes them read it again, as SIGHUP does. */
async function performReload(run: StepRun, reload: z.output<typeof reloaded>, path: Path): Promise<void> {
  const nodes = run.select(reload.of)
  if (nodes.length === 0) return run.fail([...path, 'reload'], `'${reload.of.text}' matches no node now`)
  for (const node of nodes) {
    const heard: { verdict?: Result<undefined, Failure> } = {}
    const told = (verdict: Result<undefined, Failure>): void => {
      heard.verdict = verdict
    }
    if (!run.cluster.orders.reload(node, reload.config, told))
      return run.fail([...path, 'reload'], `${node} does not run`)
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

const peersFile = z
  .strictObject({
    at: selector.describe('The servers in whose data directories it is written.'),
    names: selector.describe('The servers that the file names.'),
    form: z
      .enum(['ids', 'addresses'])
      .default('ids')
      .describe('The format of Raft protocol 3, or of earlier protocols.'),
  })
  .describe('Writes raft/peers.json, which forces a configuration at the next start.')

export const peersJson = step(peersFile, performPeersJson)

function performPeersJson(run: StepRun, file: z.output<typeof peersFile>, path: Path): void {
  const at = run.select(file.at)
  const names = run.select(file.names)
  if (at.length === 0 || names.length === 0)
    return run.fail([...path, 'peers.json'], "'at' or 'names' matches no server now")
  const places = new Set([...at, ...names].map((node) => run.cluster.datacenterOf(node)))
  if (places.size > 1) return run.fail([...path, 'peers.json'], 'it is in one datacenter and names servers of another')
  for (const node of at) run.cluster.orders.leavePeersJson(node, names, file.form)
  run.tell('note', `peers.json for ${at.join(' ')} names ${names.join(' ')}`)
}
