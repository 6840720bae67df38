import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { eventually, type RealAgent } from './real-agent.ts'

const watch = new URL('../tools/loop-watch.mjs', import.meta.url)

/** What makes an agent's process watch its own event loop (test/tools/loop-watch.mjs); `directory`: where it writes. */
export function loopWatched(directory: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=${pathToFileURL(watch.pathname)}`, SVC_LOOP_WATCH: directory }
}

const beat = z.object({ wallMs: z.number(), stallMs: z.number(), gapMs: z.number(), cpuMs: z.number() })

/** What an event loop did meanwhile. */
export interface LoopReport {
  /** The longest that it stood still, without the time in which its process waited for a core. */
  readonly stallMs: number
  /** The same by the clock. */
  readonly gapMs: number
  /** Time on a core that the process used. */
  readonly cpuMs: number
}

/** Since `wallMs`, once it has turned again after `untilWallMs`. */
export async function loopReport(
  directory: string,
  agent: RealAgent,
  wallMs: number,
  untilWallMs: number,
): Promise<LoopReport> {
  const file = join(directory, String(agent.pid))
  return eventually('the event loop to turn', async () => {
    if (!existsSync(file)) return undefined
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
    const beats = lines.map((line) => beat.parse(JSON.parse(line))).filter((each) => each.wallMs >= wallMs)
    const last = beats.at(-1)
    if (last === undefined || last.wallMs < untilWallMs) return undefined
    return {
      stallMs: Math.max(...beats.map(({ stallMs }) => stallMs)),
      gapMs: Math.max(...beats.map(({ gapMs }) => gapMs)),
      cpuMs: last.cpuMs - (beats[0]?.cpuMs ?? 0),
    }
  })
}
