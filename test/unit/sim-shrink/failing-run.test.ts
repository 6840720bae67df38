import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { failingRunOf } from '../../../sim/cli/shrink/failing-run.ts'
import type { SimTerminal } from '../../../sim/cli/terminal.ts'
import { readPieces } from '../../../sim/platform/input.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { pageOf } from '../../../sim/pool/seed-runs.ts'
import { loadScenario } from '../../../sim/scenario/language/load.ts'
import { hostDisk } from '../../../src/host/disk.ts'

const folder = mkdtempSync(join(tmpdir(), 'failing-run-'))
afterAll(() => rmSync(folder, { recursive: true }))
const write = (name: string, text: string): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}
const page = (about: string): string =>
  `scenario: Small\nabout: ${about}\ncluster: { dc1: { servers: { count: 1 } } }\nlasts: 1s\n`
const terminal = { disk: hostDisk, createPlatform, readPieces, shippedScenarios: () => [] } as unknown as SimTerminal

function hashOf(file: string, text: string): string {
  const loaded = loadScenario(file, text)
  if (!loaded.ok) throw new Error(loaded.error[0]?.message)
  const platform = createPlatform()
  try {
    return pageOf(loaded.value, platform).hash
  } finally {
    platform.close()
  }
}

const list = (hash: string): string =>
  `${JSON.stringify({ format: 'svc-decisions', version: 1, scenario: 'Small', page: hash, seed: 9, program: '1.4.0', build: 'x' })}\n`

describe('the run that shrink is given', () => {
  it('is that of a list of decisions, by the page of its folder that says the same', async () => {
    write('a.yaml', page('Another page of this name.'))
    const meant = write('b.yaml', page('The page that is meant.'))
    const file = write('found.decisions', list(hashOf(meant, page('The page that is meant.'))))
    const found = await failingRunOf(terminal, file, undefined)
    expect(found.ok && [found.value.loaded.file, found.value.seed]).toEqual([meant, 9])
  })

  it('is not there where no page says the same, which names what to write instead', async () => {
    const file = write('lost.decisions', list('0'.repeat(64)))
    const found = await failingRunOf(terminal, file, undefined)
    expect(!found.ok && found.error[0]).toContain(
      "the page 'Small' is not in its folder: name the page instead of the list, with --seed 9",
    )
  })

  it('is not there where no record of a campaign failed', async () => {
    const file = write('none.jsonl', '{"seed":1,"verdict":"passed"}\n{"torn":')
    const found = await failingRunOf(terminal, file, 3)
    expect(!found.ok && found.error[0]).toContain('no record of a seed 3 that failed')
  })

  it('is a page with the seed of the command line, its own, or 1', async () => {
    const file = write('c.yaml', `seed: 4\n${page('With a seed.')}`)
    const seeds = [await failingRunOf(terminal, file, 6), await failingRunOf(terminal, file, undefined)]
    expect(seeds.map((found) => found.ok && found.value.seed)).toEqual([6, 4])
  })
})
