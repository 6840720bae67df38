import { describe, expect, it } from 'vitest'
import { type CluesQuestion, cluesIn } from '../../../sim/explain/clues.ts'
import { Events } from '../../../sim/explain/events.ts'
import { Spectrum } from '../../../sim/explain/spectrum.ts'
import type { NamedMutant } from '../../../sim/mutation/build.ts'
import type { TraceRecord } from '../../../sim/report/trace-record.ts'

/** Each function has ten lines, and one place that can be changed: that of site n is in its function n. */
function mutant(site: number, file: string): NamedMutant {
  const at = { line: site * 10 + 5, column: 0 }
  const names = { id: '', room: 'src', place: '', before: 'a', after: 'b', isStatic: false }
  return { number: site + 1, site, file, at, operator: 'boolean', ...names }
}

const keys = 'src/kv/keys.js'

/** A run in which sites 0 to 2 were reached, and site 3 was not. */
function question(texts: readonly (readonly [string, number, string?])[], said: Partial<CluesQuestion> = {}) {
  return {
    events: new Events(),
    violation: violated('it fails'),
    isOfLaw: false,
    unreported: undefined,
    page: 'scenario: x',
    watched: {
      mutants: [0, 1, 2, 3].map((site) => mutant(site, keys)),
      sites: [0, 1, 2].map((site) => ({ site, turns: 1, from: 1, until: 9 })),
      arrows: [],
      ends: new Set(),
      rooms: [],
      returns: [],
      returned: [],
      spectrum: new Spectrum([]),
      isTimeless: false,
    },
    literals: texts.map(([text, site, file = keys]) => ({ text, file, at: { line: site * 10 + 2, column: 4 } })),
    functionAt: (_: string, { line }: { readonly line: number }) => {
      const first = line - (line % 10)
      return { name: `f${first / 10}`, first, last: first + 9 }
    },
    placeOf: ({ file, at }: { readonly file: string; readonly at: { readonly line: number } }) =>
      `${file}:${at.line + 1}`,
    ...said,
  } satisfies CluesQuestion
}

function violated(text: string, n = 9, causes: readonly number[] = []): TraceRecord {
  return { n, t: n * 1000, node: 'world', causes: [...causes], kind: 'violation', code: 'P1', text }
}

function withEvents(...all: readonly TraceRecord[]): Events {
  const events = new Events()
  for (const event of all) events.add(event)
  return events
}

function logged(n: number, text: string, causes: readonly number[] = []): TraceRecord {
  return { n, t: n * 1000, node: 's1', causes: [...causes], kind: 'log', text }
}

function named(asked: CluesQuestion): readonly string[] {
  return cluesIn(asked)
    .toSorted((a, b) => a.cost - b.cost)
    .map(({ kind, place }) => `${kind} ${place}`)
}

describe('a clue to the code', () => {
  it('is the text of the failure where it stands in code that ran, and is no word of the page', () => {
    const violation = violated('status 400, the key cannot be read: refused')
    const asked = question(
      [
        ['the key cannot be read', 1],
        ['cannot', 2],
        ['the key cannot', 3],
        ['status 400', 2],
      ],
      { violation, page: 'expect: status 400' },
    )
    expect(named(asked)).toEqual([`said ${keys}:13`])
    expect(named({ ...asked, page: '# the key cannot be read\nexpect: status 400 # the key cannot' })).toEqual(
      named(asked),
    )
    expect(named({ ...asked, isOfLaw: true })).toEqual([])
  })

  it('is worth less the more places have the text, and the less its line has to do with the failure', () => {
    const violation = violated('it fails', 3, [2])
    const near = logged(2, '[ERROR] kv: no room for the key', [1])
    const events = withEvents(logged(1, '[WARN] kv: many watchers wait'), near, violation)
    const asked = question(
      [
        ['no room for the key', 0],
        ['many watchers wait', 1],
        ['many watchers wait', 2],
      ],
      { violation, events },
    )
    expect(named(asked)).toEqual([`said ${keys}:3`, `said ${keys}:13`, `said ${keys}:23`])
    const again = logged(1, '[ERROR] kv: no room for the key')
    const often = cluesIn({ ...asked, events: withEvents(again, near, violation) })
    expect(often[0]?.cost).toBeGreaterThan(cluesIn(asked)[0]?.cost ?? Number.POSITIVE_INFINITY)
  })

  it('is how an agent would have reported what never happened, although runs that pass go through it', () => {
    const reached = Uint8Array.from([1, 1, 1, 0])
    const run = { isOfPage: false, hasFailed: false, reached, returned: new Uint8Array() }
    const asked = question([['replication goes on', 2]], { unreported: 'acl: replication goes on' })
    const spectrum = new Spectrum([run, run, run])
    const clues = cluesIn({ ...asked, watched: { ...asked.watched, spectrum } })
    const alone = cluesIn(asked)
    expect(clues).toEqual(alone)
    expect(clues.map(({ kind, text }) => [kind, text])).toEqual([['unsaid', 'replication goes on']])
  })

  it('is the stack of the last exception, the innermost frame of the agent first, whatever ran in it before', () => {
    const text = `thrown by invariant src/base/invariant.js:22 < put ${keys}:24 < set ${keys}:36 < ask ${keys}:13`
    const thrown: TraceRecord = { n: 1, t: 1000, node: 's1', causes: [], kind: 'note', text }
    const violation = violated('s1 panics: no key', 2, [1])
    const asked = question([], { violation, events: withEvents(thrown, violation) })
    expect(named(asked)).toEqual([`thrown ${keys}:24`, `thrown ${keys}:36`, `thrown ${keys}:13`])
  })
})
