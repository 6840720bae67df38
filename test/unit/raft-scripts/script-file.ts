import type { WorldCore } from '../../property/raft-core/world.ts'
import { play } from './script-commands.ts'
import { ScriptWorld } from './script-world.ts'

export interface Script {
  readonly title: string
  /** Sections of paper or thesis, and rows of the list of known bugs. */
  readonly shows: string
  /** Names of planted bugs that change what happens. */
  readonly catches: readonly string[]
  readonly lines: readonly string[]
}

/**
 * A script is a text: a head (`title:`, `shows:`, `catches:`), prose, commands (`> …`), and below each what came of it
 * (`| …`). Prose and commands are written by people, the lines below commands by the replay.
 */
export function parseScript(text: string): Script {
  const lines = text.split('\n')
  const head = (key: string) =>
    lines.filter((line) => line.startsWith(`${key}: `)).map((line) => line.slice(key.length + 2))
  const [title, shows] = [head('title')[0], head('shows')[0]]
  if (title === undefined || shows === undefined) throw new Error('a script begins with its title and what it shows')
  return { title, shows, catches: head('catches'), lines }
}

/** The text of the script as it reads when it is played now. */
export function replayed({ lines }: Script, core: WorldCore): string {
  const world = new ScriptWorld(core)
  const out: string[] = []
  for (const line of lines) {
    if (line.startsWith('|')) continue
    out.push(line)
    if (line.startsWith('> ')) out.push(...play(world, line.slice(2)).map((told) => `| ${told}`))
  }
  return out.join('\n')
}
