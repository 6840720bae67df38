import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nameFacts } from '../../conformance/dns/name-facts.ts'
import { recordFacts } from '../../conformance/dns/record-facts.ts'
import { recursingFacts } from '../../conformance/dns/recursing-facts.ts'
import { tunedFacts } from '../../conformance/dns/tuned-facts.ts'
import { citationsOf, resolver } from '../../tools/citations.ts'
import { projectRoot } from '../../tools/planted.ts'

/** Tests of what reads IDs: they have some that are made up. */
const madeUp = ['test/unit/walls/citations.test.ts', 'test/unit/tools/breakages.test.ts']

const sources = ['src', 'sim', 'bin', 'test', 'bench'].flatMap((folder) =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|js|mjs)$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name))
    .filter((path) => !madeUp.includes(path)),
)

const resolved = resolver()

function dangling(path: string, source: string): readonly string[] {
  return citationsOf(source).flatMap((citation) => {
    const why = resolved(citation)
    return why === undefined ? [] : [`${path}:${citation.line}: ${why}`]
  })
}

describe('what comments and titles cite', () => {
  it.each([
    ['/** Reference: dns.md#fact-52, keys.md#locks. */', []],
    ['/**\n * Long.\n * Reference: dns.md#fact-52,\n * keys.md#locks. Spec: CA-024, CA-025.\n */', []],
    ['/** Reference: dns.md#fact-999. */', ['x.ts:1: docs/reference/dns.md has no anchor "fact-999"']],
    ['\n// Reference: dns.md#fact-52, nowhere.md#it.', ['x.ts:2: docs/reference/nowhere.md has no anchor "it"']],
    ['/** Reference: HTTP API 5. */', ['x.ts:1: "Reference: HTTP API 5. */" cites neither a fact']],
    ['/** Texts: reference, configuration 3. */', ['x.ts:1: "reference, configuration 3. */" cites neither a fact']],
    ['/** Spec: CA-999. */', ['x.ts:1: no statement in docs/reference/statements has the ID CA-999']],
    ["it('[CAT-022 XY-001] is so')", ['x.ts:1: no statement in docs/reference/statements has the ID XY-001']],
    ["reference: 'REL-0.5-1, REL-0.5-99'", ['x.ts:1: docs/reference/releases.md has no anchor "rel-0.5-99"']],
  ])('%j leads where it leads', (source, expected) => {
    const found = dangling('x.ts', source)
    expect(found.map((line, at) => line.slice(0, expected[at]?.length))).toEqual(expected)
  })

  it('is in the reference: every fact, every statement, every ID in a title', () => {
    const citations = sources.flatMap((path) => citationsOf(readFileSync(join(projectRoot, path), 'utf8')))
    expect(citations.filter(({ of }) => of === 'fact').length).toBeGreaterThan(400)
    expect(sources.flatMap((path) => dangling(path, readFileSync(join(projectRoot, path), 'utf8')))).toEqual([])
  })

  it('is on the page of DNS: every fact that questions are asked for', () => {
    const numbers = [nameFacts, recordFacts, recursingFacts, tunedFacts].flat().flatMap(({ of }) => of.split(' '))
    const anchors = numbers.map((of) => (/^\d+$/.test(of) ? `dns.md#fact-${of}` : `dns.md#${of}`))
    const missing = anchors.filter((to) => resolved({ line: 0, of: 'fact', to }) !== undefined)
    expect(numbers.length).toBeGreaterThan(50)
    expect(missing).toEqual([])
  })
})
