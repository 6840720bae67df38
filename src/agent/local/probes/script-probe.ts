import { formatDuration } from '../../../base/duration.ts'
import type { Env } from '../../../env/env.ts'
import type { CheckProbe, CheckStatus } from '../../../model/catalog.ts'
import { critical, lastText, type Outcome, outputBytesMax } from './outcome.ts'

export type ScriptProbe = Extract<CheckProbe, { kind: 'script' }>

/** One run of a program: exit code 0 passes, 1 warns, everything else is critical. */
export async function probeScript(env: Env, probe: ScriptProbe): Promise<Outcome> {
  const ended = await env.processes.run(probe.argv, { timeoutMs: probe.timeoutMs, outputBytesMax })
  if (!ended.ok) return critical(`exec: ${JSON.stringify(ended.error.program)}: ${ended.error.message}`)
  const { exit, timedOut } = ended.value
  const output = lastText(ended.value.output)
  if (timedOut) {
    const text = `Timed out (${formatDuration(probe.timeoutMs)}) running check`
    return critical(output === '' ? text : `${text}\n\n${output}`)
  }
  const statuses: Readonly<Record<string, CheckStatus>> = { 0: 'passing', 1: 'warning' }
  return { status: statuses[String(exit)] ?? 'critical', output }
}
