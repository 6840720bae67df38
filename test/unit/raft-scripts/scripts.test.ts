import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mutants } from '../../property/raft-core/mutants.ts'
import { mutantCore } from '../../property/raft-core/mutation.ts'
import { soundCore } from '../../property/raft-core/sound-core.ts'
import type { WorldCore } from '../../property/raft-core/world.ts'
import { parseScript, replayed, type Script } from './script-file.ts'

/** Set to 1 to write what happens now below the commands of every script; read the difference before you commit it. */
const rewrites = process.env['SVC_REWRITE_SCRIPTS'] === '1'
const directory = join(import.meta.dirname, '../../scripts/raft')

const scripts = readdirSync(directory)
  .filter((name) => name.endsWith('.txt'))
  .toSorted((a, b) => (a < b ? -1 : 1))
  .map((name) => {
    const file = join(directory, name)
    const text = readFileSync(file, 'utf8')
    return { name, file, text, script: parseScript(text) }
  })

describe('stories of the consensus core', () => {
  it.each(scripts)('$name: $script.title ($script.shows)', ({ file, text, script }) => {
    const now = replayed(script, soundCore)
    if (rewrites) writeFileSync(file, now)
    else expect(now).toBe(text)
  })

  it('gives the same text when played again', () => {
    for (const { script } of scripts) expect(replayed(script, soundCore)).toBe(replayed(script, soundCore))
  })
})

describe('the stories', () => {
  it.each([
    ...['5.1', '5.2', '5.3', '5.4.1', '5.4.2, figure 8', '5.5', '6', '7', '8'].map((section) => `paper ${section}`),
    ...['3.10', '4.1', '4.2.1', '4.2.2', '4.2.3', '6.4', '6.4.1', '9.6'].map((section) => `thesis ${section}`),
    ...Array.from({ length: 15 }, (_, i) => `known bug ${i + 1}`),
  ])('show %s', (what) => {
    // `known bug 1` is not `known bug 12`.
    const shown = new RegExp(`(^|[,;] )${what.replaceAll('.', '[.]')}($|[,; ])`)
    expect(scripts.some(({ script }) => shown.test(script.shows))).toBe(true)
  })

  it('tell of every planted bug', () => {
    const told = new Set(scripts.flatMap(({ script }) => script.catches))
    expect(mutants.map(({ name }) => name).filter((name) => !told.has(name))).toEqual([])
  })
})

/** A planted bug may leave a message unsaid that a command names: that, too, is another way. */
function outcome(script: Script, core: WorldCore): string {
  try {
    return replayed(script, core)
  } catch (cause) {
    return String(cause)
  }
}

/** A core with a bug in it is compiled first, which takes its time on a machine with other work. */
const compilingMs = 60_000

const catching = scripts.flatMap(({ name, script }) => script.catches.map((bug) => ({ name, bug, script })))

describe('a story of a bug goes another way once the bug is planted', () => {
  it.each(catching)(
    '$name: $bug',
    async ({ bug, script }) => {
      const number = mutants.findIndex((mutant) => mutant.name === bug)
      const mutant = mutants[number]
      if (mutant === undefined) throw new Error(`no planted bug is called '${bug}'`)
      const core = await mutantCore(`script-${number}`, mutant.patches)
      expect(outcome(script, core)).not.toBe(outcome(script, soundCore))
    },
    compilingMs,
  )
})
