import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { observersText } from '../../../sim/mutation/effects.ts'
import { changedText, instrumented } from '../../../sim/mutation/instrument.ts'
import { operators, repairOperators } from '../../../sim/mutation/operators/change.ts'
import { parsed, sitesOf } from '../../../sim/mutation/walk.ts'

/** `operator: what stands there instead`, of every mutant. */
function changes(text: string): readonly string[] {
  return instrumented(ts, 'src/a.js', text, { sites: 0, mutants: 0 }).mutants.map(
    ({ operator, before, after }) => `${operator}: ${before} → ${after}`,
  )
}

/** The function `f` of an instrumented module, with no mutant on. */
function runnable(made: string, reached = new Uint8Array(100)) {
  const body = made.replace(/^import [^;]*; export /, '')
  return new Function('$m', '$h', `${observersText.join('\n').replaceAll('export ', '')}; ${body}; return f`)(
    0,
    reached,
  )
}

const within = (statement: string): string => `export async function f(a, b, c) { ${statement} }`

describe('the operators of mutation', () => {
  it.each<[string, readonly string[]]>([
    [
      'if (a) b();',
      ['negate-condition: a → !(a)', 'always-true: a → true', 'always-false: a → false', 'remove-statement: b(); → '],
    ],
    ['while (a) b = c;', ['negate-condition: a → !(a)', 'remove-statement: b = c; → ']],
    ['b = a < c;', ['remove-statement: b = a < c; → ', 'boundary: a < c → a <= c', 'off-by-one: a < c → a < (c) - 1']],
    [
      'return a >= 3;',
      [
        'boundary: a >= 3 → a > 3',
        'return-true: a >= 3 → true',
        'return-false: a >= 3 → false',
        'halved: 3 → 1',
        'doubled: 3 → 6',
      ],
    ],
    ['b = a === c;', ['remove-statement: b = a === c; → ', 'equality: a === c → a !== c']],
    [
      'b = a && c;',
      [
        'remove-statement: b = a && c; → ',
        'logical: a && c → (a) || (c)',
        'left-operand: a && c → a',
        'right-operand: a && c → c',
      ],
    ],
    ['b = a ?? c;', ['remove-statement: b = a ?? c; → ', 'left-operand: a ?? c → a', 'right-operand: a ?? c → c']],
    ['return !a;', ['negation: !a → a', 'return-true: !a → true', 'return-false: !a → false']],
    ['return a + b;', ['arithmetic: a + b → a - b', 'return-nothing: a + b → undefined']],
    ["b = 'x' + a;", ["remove-statement: b = 'x' + a; → "]],
    ['a++;', ['remove-statement: a++; → ', 'arithmetic: a++ → a--']],
    ['return true;', ['boolean: true → false']],
    ['return 0;', ['doubled: 0 → 1', 'return-nothing: 0 → undefined']],
    ['return;', ['remove-statement: return; → ']],
    [
      'return Math.min(a, b);',
      ['return-nothing: Math.min(a, b) → undefined', 'method-exchange: Math.min(a, b) → Math.max(a, b)'],
    ],
    [
      'put(firstIndex, lastIndex);',
      [
        'remove-statement: put(firstIndex, lastIndex); → ',
        'swap-arguments: put(firstIndex, lastIndex) → put(lastIndex, firstIndex)',
      ],
    ],
    ['put(raft, index);', ['remove-statement: put(raft, index); → ']],
    [
      'await a(); b();',
      [
        'remove-statement: await a(); → ',
        'reorder-await: await a(); b(); → b(); await a();',
        'remove-await: await a() → void a()',
        'remove-statement: b(); → ',
      ],
    ],
    ['a(); b();', ['remove-statement: a(); → ', 'remove-statement: b(); → ']],
    ['invariant(a > 0, c); env.log.write(a + b); metrics.count(a, 1);', []],
  ])('%s', (statement, expected) => {
    expect(changes(within(statement))).toEqual(expected)
  })

  it('calls a function with a similar name that its module has, if it is not called with other numbers of arguments', () => {
    const text = `
      import { send, sendOnceDurable, sendAll as tell, sent, sendNow } from './outbox.js'
      import { sendTwo } from './outbox.js'
      import { sendLater } from './later.js'
      function indexOfTerm(a) { return send(a, 1) }
      function termOfTerm(a) { return tell(a) + sent(a) }
      export const f = (a) => [sendOnceDurable(a, 2), sendLater(a, 3), sendTwo(a), indexOfTerm(a), termOfTerm(a)]`
    const exchanged = changes(text).filter((change) => change.startsWith('similar-function: '))
    expect(exchanged.map((change) => change.slice('similar-function: '.length))).toEqual([
      'send(a, 1) → sendOnceDurable(a, 1)',
      'send(a, 1) → sendNow(a, 1)',
      'sendOnceDurable(a, 2) → send(a, 2)',
      'sendTwo(a) → sendNow(a)',
      'indexOfTerm(a) → termOfTerm(a)',
      'termOfTerm(a) → indexOfTerm(a)',
    ])
  })

  it.each<[string, string, readonly unknown[], readonly string[]]>([
    ['a constant', 'if (a) return 1; return 2', [true], ['a → true']],
    ['another constant', 'if (a) return 1; return 2', [0], ['a → false']],
    ['nothing that is nothing', 'return a.b', [{}], ['a.b → undefined']],
    ['the left operand alone', 'return a && b', [0, 1], ['a && b → a']],
    ['the right operand alone', 'return a && b', [1, 0], ['a && b → b']],
    ['the right operand of ||', 'return a || b', [0, 0], ['a || b → b']],
    ['the left operand of ??', 'return a ?? b', [0, 1], ['a ?? b → a']],
    ['a boundary', 'return a < b', [1, 5], ['a < b → a <= b', 'a < b → a < (b) - 1', 'a < b → true']],
    ['a boundary nearby', 'return a < b', [1, 2], ['a < b → a <= b', 'a < b → true']],
    ['what is called', 'if (a()) return 1; return 2', [() => true], []],
  ])('tells in which runs a change makes no difference: %s', async (_, statement, given, idle) => {
    const { text, mutants } = instrumented(ts, 'src/a.js', within(statement), { sites: 0, mutants: 0 })
    const reached = new Uint8Array(100)
    await runnable(text, reached)(...given)
    const without = mutants.filter(
      ({ site, effect }) => reached[site] === 1 && effect?.isCertain === true && reached[effect.site] === 0,
    )
    expect(without.map(({ before, after }) => `${before} → ${after}`).toSorted()).toEqual(idle.toSorted())
  })

  it('tells what takes effect when the module is loaded', () => {
    const text = 'const limit = 8; class A { size = 4; static most = 2; m(n = 6) {} }'
    const { mutants } = instrumented(ts, 'src/a.js', text, { sites: 0, mutants: 0 })
    expect(mutants.filter(({ isStatic }) => isStatic).map(({ before }) => before)).toEqual(['8', '8', '2', '2'])
  })

  it('leaves what is called with its object, and a chain whole', () => {
    const text = within('a.b(1).c(2); return a?.b(1).c')
    const { text: made } = instrumented(ts, 'src/a.js', text, { sites: 0, mutants: 0 })
    const run = runnable(made)
    const of = { b: () => ({ c: () => 7 }) }
    return expect(Promise.all([run(of), run(undefined).catch((cause: unknown) => cause)])).resolves.toMatchObject([
      expect.any(Function),
      expect.any(TypeError),
    ])
  })

  it('leaves numbers that are names of properties', () => {
    const text = within('const { 0: d, e: { 1: g } } = a; return { 2: d, g }')
    const { text: made } = instrumented(ts, 'src/a.js', text, { sites: 0, mutants: 0 })
    expect(() => runnable(made)).not.toThrow()
  })

  it('takes down where nothing is returned, but for what another function returned', () => {
    const text = 'export function f(a, g) { if (a) return a.b; if (g) return g(); return undefined }'
    const { text: made, returns } = instrumented(ts, 'src/a.js', text, { sites: 0, mutants: 0, returns: 5 })
    expect(returns.map(({ number, at }) => [number, text.slice(at.column, at.column + 3)])).toEqual([
      [5, 'a.b'],
      [6, 'und'],
    ])
    const nothings: number[] = []
    const note = (place: number, value: unknown): unknown => {
      if (value === undefined) nothings.push(place)
      return value
    }
    const run = new Function('$m', '$h', '$r', `${made.replace(/^import [^;]*; export /, '')}; return f`)(0, [], note)
    expect([run({ b: 3 }), run({}), run(0, () => undefined), run(0)]).toEqual([3, undefined, undefined, undefined])
    expect(nothings).toEqual([5, 6])
  })

  it.each<[string, readonly string[]]>([
    ['const d = a.d; if (c(a.e <= d)) d;', ['exact-comparison: a.e <= d → a.e === d']],
    ['const d = a.d; b(a.e, c);', ['other-local: a.e → d']],
    ['const d = a.d; const e = b(d); c(d, a);', ['other-local: d → e']],
    ['const d = a.d; b(d, c);', []],
    ['const d = () => 1; b(c); const e = 1;', []],
    [
      'const d = a.d; if (a) { const e = b(); c(a.f); return undefined; }',
      ['other-local: a.f → e', 'return-local: undefined → e'],
    ],
    ['const d = a.d; return (undefined);', ['return-local: (undefined) → d']],
    ['const d = a.d; if (a.d) { return undefined; }', ['return-local: undefined → d']],
    ['const d = a.d; if (d.e === 3) { return undefined; }', []],
    ['const d = a.d; return a.map((e) => { return undefined; });', []],
  ])('are joined by others that only repair: in `%s`', (statement, expected) => {
    const repairs = instrumented(ts, 'src/a.js', within(statement), { sites: 0, mutants: 0, returns: 0 })
      .mutants.filter(({ operator }) => operator in repairOperators)
      .map(({ operator, before, after }) => `${operator}: ${before} → ${after}`)
    expect(repairs).toEqual(expected)
    expect(changes(within(statement)).some((change) => expected.includes(change))).toBe(false)
  })

  it('numbers sites and mutants behind those of other modules', () => {
    const { mutants, text } = instrumented(ts, 'src/raft/a.js', within('return !a'), { sites: 40, mutants: 70 })
    expect(mutants.map(({ number, site }) => [number, site])).toEqual([
      [71, 40],
      [72, 40],
      [73, 40],
    ])
    expect(text).toContain("from '../../mutation-switch.js'; ")
  })

  it('has a sample of every operator above', () => {
    const sample = within(`
      if (a > b && !c) return a + 2 * Math.max(a, b);
      for (const one of c) { if (one === a) continue; await b(firstTerm, lastTerm); a.push(true); }
      h(hOf(a), hOf(b), h(c));
      return a ?? b;`)
    const source = parsed(ts, 'a.js', `${sample}; export const g = (a) => a !== 1; function h() {} function hOf() {}`)
    const made = sitesOf(ts, source).flatMap((site) => site.changes)
    expect([...new Set(made.map(({ operator }) => operator))].sort()).toEqual(Object.keys(operators).sort())
    for (const change of made) {
      const changed = parsed(ts, 'a.js', changedText(source, change))
      expect(
        ts.getPreEmitDiagnostics.length && (changed as unknown as { parseDiagnostics: unknown[] }).parseDiagnostics,
      ).toEqual([])
    }
  })
})
