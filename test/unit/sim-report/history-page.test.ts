import { describe, expect, it } from 'vitest'
import type { KeyOperation } from '../../../sim/checkers/keys/key-history.ts'
import { historyPage } from '../../../sim/report/history-page.ts'
import { historyLines, type JudgedHistory, judgeHistory } from '../../../sim/report/history-report.ts'
import { escaped } from '../../../sim/report/markup.ts'
import { stillPage } from '../../../sim/report/still-page.ts'

const operation = (part: Partial<KeyOperation>): KeyOperation => ({
  client: 'client 1',
  key: 'k',
  kind: 'read',
  value: undefined,
  expected: undefined,
  consistency: 'consistent',
  callUs: 0,
  returnUs: Number.POSITIVE_INFINITY,
  outcome: 'ok',
  found: undefined,
  ...part,
})
const put = (client: string, value: string, callUs: number, returnUs: number): KeyOperation =>
  operation({ client, kind: 'write', value, callUs, returnUs })
const get = (client: string, found: string | undefined, callUs: number, returnUs: number): KeyOperation =>
  operation({ client, found, callUs, returnUs })

const noise = Array.from({ length: 6 }, (_, at) => get('client 10', undefined, at * 10, at * 10 + 5))
const goesBack = [
  ...noise,
  put('client 1', 'a', 100, 110),
  operation({ client: 'client 3', kind: 'write', value: 'lost', callUs: 105, outcome: 'unknown' }),
  put('client 1', 'b', 120, 130),
  get('client 2', 'b', 125, 140),
  get('client 3', 'a', 150, 160),
  get('client 2', 'b', 155, 170),
  get('client 2', 'b', 180, 190),
]

function judged(operations: readonly KeyOperation[], stepsMax = 10_000): JudgedHistory {
  return judgeHistory({ about: 'a test', staleDefaultUs: 0, operations }, stepsMax)
}

describe('what a person reads of a history', () => {
  it('is, of one that has no order, the operation that cannot be ordered, an order of those before, and the cause', () => {
    expect(historyLines('h.jsonl', judged(goesBack))).toEqual([
      'h.jsonl: 13 operations on 1 key',
      '  a test',
      "key 'k', 13 operations: NOT linearizable",
      "  cannot be ordered: consistent read found 'a', client 3, 0.000150s..0.000160s",
      "  what was answered before has an order, and the key then held 'b':",
      ...noise.map((_, at) => `    ${at + 1}. consistent read found nothing, client 10, 0.0000${at}0s..0.0000${at}5s`),
      "    7. write of 'a', client 1, 0.000100s..0.000110s",
      "    8. write of 'b', client 1, 0.000120s..0.000130s",
      "    9. consistent read found 'b', client 2, 0.000125s..0.000140s",
      '  these already have no order:',
      "    write of 'a', client 1, 0.000100s..0.000110s",
      "    write of 'b', client 1, 0.000120s..0.000130s",
      "    consistent read found 'a', client 3, 0.000150s..0.000160s",
      'verdict: NOT linearizable',
    ])
  })

  it('is a line for each key, in order of keys, and one for the whole', () => {
    const keys = ['b', 'a'].map((key) => ({ ...put('client 1', 'x', 0, 1), key }))
    expect(
      historyLines('h', judged([...keys, { ...get('client 2', undefined, 5, 6), key: 'a', consistency: 'stale' }])),
    ).toEqual([
      'h: 3 operations on 2 keys',
      '  a test',
      '  1 stale read not judged: they may be old',
      "key 'a', 2 operations: linearizable",
      "key 'b', 1 operation: linearizable",
      'verdict: linearizable',
    ])
  })

  it('is neither verdict when the search was given up', () => {
    const rounds = Array.from({ length: 5 }, (_, at) => [
      put('client 1', `v${at}`, at * 100, at * 100 + 10),
      get('client 1', `v${at}`, at * 100 + 20, at * 100 + 30),
    ])
    const lines = historyLines('h', judged(rounds.flat(), 3))
    expect(lines).toContainEqual(expect.stringMatching(/^key 'k', 10 operations: undecided, .* after \d steps$/))
    expect(lines.at(-1)).toBe('verdict: undecided')
  })
})

/** The pictures of a page, without those of its legend. */
function picturesOf(page: string): readonly string[] {
  return page.match(/<svg xmlns[\s\S]*?<\/svg>/g) ?? []
}

/** Every element closes in order; no attribute is without quotes. */
function expectWellFormed(svg: string): void {
  const open: string[] = []
  for (const [, close, name, attributes, empty] of svg.matchAll(
    /<(\/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g,
  )) {
    if (close === '/') expect(open.pop()).toBe(name)
    else if (empty !== '/') open.push(name ?? '')
    expect(attributes).toBeDefined()
  }
  expect(open).toEqual([])
  expect(svg.replace(/<[^<>]*>/g, '')).not.toMatch(/[<>]/)
}

describe('the picture of a history', () => {
  const page = historyPage('h.jsonl', judged(goesBack)).body
  const [smallest = '', svg = ''] = picturesOf(page)
  const bars = [...svg.matchAll(/<g class="((?!held)[^"]*)"><title>([^<]*)<\/title><(rect|path)/g)].map(
    ([, classes = '', title = '', shape = '']) => ({ classes, title, shape }),
  )
  const barOf = (title: string) => bars.find((bar) => bar.title.startsWith(title))

  it('is SVG that is well formed, on a page that fetches nothing and runs nothing', () => {
    for (const picture of [smallest, svg]) expectWellFormed(picture)
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(|\son\w+=|href=/)
  })

  it('shows the smallest contradiction first, alone', () => {
    expect(smallest.match(/<g class="(free|blocked) cause"/g)).toHaveLength(3)
    expect(smallest).not.toContain('class="effect"')
  })

  it('has a lane for each client, client 2 before client 10', () => {
    const clients = [...svg.matchAll(/<text class="client"[^>]*>([^<]*)</g)].map(([, name]) => name)
    expect(clients).toEqual(['client 1', 'client 2', 'client 3', 'client 10'])
  })

  it('marks what cannot be ordered, and the cause', () => {
    expect(barOf('consistent read found &#39;a&#39;')).toMatchObject({ classes: 'blocked cause' })
    expect(barOf('write of &#39;b&#39;')).toMatchObject({ classes: 'ordered cause' })
    expect(barOf('consistent read found nothing')).toMatchObject({ classes: 'ordered' })
  })

  it('numbers the order, and tells in the tooltip what the key then holds', () => {
    expect(barOf('write of &#39;b&#39;')?.title).toContain('number 8 of the order; then the key holds &#39;b&#39;')
    expect(svg).toMatch(/>8\. w/)
  })

  it('has a point for each operation of the order, within its bar, and none before the point of the one before it', () => {
    const xs = [...svg.matchAll(/<circle class="effect" cx="([\d.]+)"/g)].map(([, x]) => Number(x))
    expect(xs).toHaveLength(9)
    expect(xs).toEqual([...xs].sort((a, b) => a - b))
    const [from = 0, width = 0] = (
      /<title>write of &#39;b&#39;.*?<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/s.exec(svg) ?? []
    )
      .slice(1)
      .map(Number)
    expect(xs[7]).toBeGreaterThanOrEqual(from)
    expect(xs[7]).toBeLessThanOrEqual(from + width + 2)
    const held = [...svg.matchAll(/<title>the key holds ([^<]*)</g)].map(([, value]) => value)
    expect(held).toEqual(['nothing', '&#39;a&#39;', '&#39;b&#39;'])
  })

  it('leaves the end open of what was not answered by then', () => {
    expect(barOf('write of &#39;lost&#39;')).toMatchObject({ classes: 'free open', shape: 'path' })
    expect(bars.filter(({ title }) => title.includes('&#39;b&#39;, client 2')).map(({ shape }) => shape)).toEqual([
      'rect',
      'path',
    ])
  })

  it('leaves out what was called after the answer that nothing explains, and says so', () => {
    expect(bars).toHaveLength(goesBack.length - 1)
    expect(page).toContain('Of 13 operations 0 of the earliest and 1 called later are not drawn.')
  })

  it('has of a long history the latest operations, and the cause wherever it is', () => {
    const many = Array.from({ length: 500 }, (_, at) => get('client 1', 'b', 1000 + at * 10, 1005 + at * 10))
    const long = historyPage('h', judged([...goesBack.slice(0, 9), ...many, get('client 2', 'a', 7000, 7010)])).body
    expect(long).toContain('Of 510 operations 308 of the earliest and 0 called later are not drawn.')
    expect(picturesOf(long)[1]?.match(/<g class="[a-z]+ cause"/g)).toHaveLength(3)
  })

  it('is the same for the same history', () => {
    expect(historyPage('h.jsonl', judged([...goesBack])).body).toBe(page)
  })

  it('shows names and values as they are, whatever is in them', () => {
    const nasty = '</title><script>alert("x")</script>&amp;\u0000'
    const page = historyPage(
      nasty,
      judged([put(nasty, nasty, 0, 1), get(nasty, `${nasty}2`, 2, 3)].map((one) => ({ ...one, key: nasty }))),
    )
    const shown = stillPage('<title><!-- title --></title><!-- film -->', page)
    expect(shown).not.toContain('<script')
    expect(shown).toContain(escaped(nasty))
    for (const picture of picturesOf(shown)) expectWellFormed(picture)
  })

  it('is there for a history that is linearizable, too: lanes, and an order with its numbers', () => {
    const lost = operation({ client: 'client 3', kind: 'write', value: 'lost', callUs: 30, outcome: 'unknown' })
    const old = { ...get('client 4', 'z', 70, 80), consistency: 'stale' as const }
    const page = historyPage('h', judged([...noise, put('client 1', 'a', 60, 70), lost, old])).body
    const [fine = ''] = picturesOf(page)
    expectWellFormed(fine)
    expect(page).toContain('9 operations: linearizable')
    expect(fine.match(/<g class="ordered"/g)).toHaveLength(7)
    expect(fine.match(/<g class="free open"/g)).toHaveLength(1)
    expect(fine.match(/<g class="free"/g)).toHaveLength(1)
    expect(fine).toContain('number 7 of the order; then the key holds &#39;a&#39;')
  })

  it('shows keys that failed before those that are undecided, and these before the rest', () => {
    const keys = [noise.map((one) => ({ ...one, key: 'a' })), goesBack.map((one) => ({ ...one, key: 'b' }))]
    const page = historyPage('h', judged(keys.flat())).body
    const [first, second] = [...page.matchAll(/<h2>Key &#39;(.)&#39;/g)].map(([, key]) => key)
    expect([first, second]).toEqual(['b', 'a'])
  })
})
