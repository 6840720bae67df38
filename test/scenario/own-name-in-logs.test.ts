import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { projectRoot, svcSim } from './svc-sim.ts'

const directory = mkdtempSync(join(tmpdir(), 'svc-sim-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const isLong = process.env['SVC_TEST_LONG'] === '1'

/** Watches of every kind; a provider that is out of reach, and the mesh without it; packets that no key opens. */
const sample = [
  'configured-watches.yaml',
  'external-provider-sealed-at-election.yaml',
  'key-rotation-with-absent-node.yaml',
]
/** Where a page tells agents their names itself. */
const ownNames = ['names-of-the-field.yaml']
const pages = isLong
  ? readdirSync(join(projectRoot, 'scenarios')).filter((name) => name.endsWith('.yaml') && !ownNames.includes(name))
  : sample

/** What a log line quotes of another program. */
const quoted: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/\/v1\/kv\/svc-sim\/\S*/g, 'a key that the simulator writes'],
  [/(?<=\[DEBUG\] dns: request )name=\S+/g, 'a name that a client of the page asked for'],
  [/(?<=\[(?:DEBUG|ERROR)\] http: request .*)target=\S+/g, 'a path that a client of the page asked for'],
  [/spiffe:\S+/g, 'a SPIFFE ID, which has a segment of that name in the field as well'],
]

interface Page {
  readonly cluster: Record<string, { config?: object }>
}

/** Writes the page with all of its agents under the name of the field; its expectations may name the other one. */
function renamed(name: string): string {
  const page = parse(readFileSync(join(projectRoot, 'scenarios', name), 'utf8')) as Page
  for (const datacenter of Object.values(page.cluster)) {
    datacenter.config = { ...datacenter.config, names: 'consul' }
  }
  const file = join(directory, name)
  writeFileSync(file, stringify(page))
  return file
}

async function linesOf(name: string): Promise<readonly string[]> {
  const trace = join(directory, `${name}.jsonl`)
  const ran = await svcSim(['run', renamed(name), '--story', 'none', '--no-demands', '--trace', trace])
  expect([0, 1], ran.err).toContain(ran.exit)
  return readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"kind":"log"'))
    .map((line) => (JSON.parse(line) as { text: string }).text)
}

function strange(lines: readonly string[]): readonly string[] {
  const rest = lines.map((line) => quoted.reduce((left, [pattern]) => left.replace(pattern, ''), line))
  return [...new Set(rest.filter((line) => /svc/i.test(line)))]
}

describe('under the name of the field, the own name is in no line of the log', () => {
  it.each(pages)('of %s', async (name) => {
    const lines = await linesOf(name)
    expect(lines.length).toBeGreaterThan(20)
    expect(strange(lines)).toEqual([])
  })

  it('or the crawl would find it', () => {
    const planted = '[INFO] svc: member registered target=/v1/kv/svc'
    expect(strange(['[INFO] agent: Synced node info', planted])).toEqual([planted])
    expect(strange(['[DEBUG] http: request method=PUT target=/v1/kv/svc-sim/at-rest from=1'])).toEqual([])
  })
})
