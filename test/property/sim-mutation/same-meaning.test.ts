import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { observersText } from '../../../sim/mutation/effects.ts'
import { changedText, instrumented } from '../../../sim/mutation/instrument.ts'
import { parsed, sitesOf } from '../../../sim/mutation/walk.ts'
import { fc } from '../../fast-check.ts'

const isLong = process.env['SVC_TEST_LONG'] === '1'
const built = new URL('../../../dist/', import.meta.url)

/** Texts of expressions over three names. */
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie('expression')
  const joined = (sign: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.tuple(inner, sign, inner).map(([left, between, right]) => `(${left} ${between} ${right})`)
  return {
    expression: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('a', 'b', 'c', '0', '1', '5', 'true', 'false', 'undefined'),
      joined(fc.constantFrom('&&', '||', '??', '<', '<=', '>', '>=', '===', '!==', '+', '-', '*', '/')),
      inner.map((one) => `!${one}`),
      inner.map((one) => `(-${one})`),
      fc.tuple(inner, inner).map(([one, other]) => `Math.min(${one}, ${other})`),
      fc.tuple(inner, inner, inner).map(([one, two, three]) => `(${one} ? ${two} : ${three})`),
      inner.map((one) => `[1, 2, 3].find((n) => n > ${one})?.toString().length`),
    ),
  }
})

const statement = fc.oneof(
  expression.map((one) => `out.push(${one});`),
  expression.map((one) => `a = ${one};`),
  fc.tuple(expression, expression).map(([one, other]) => `if (${one}) out.push(${other}); else b = ${other};`),
  expression.map((one) => `for (let i = 0; i < 3; i += 1) { if (${one}) continue; out.push(i); }`),
  expression.map((one) => `await out.push(${one});`),
  expression.map((one) => `if (${one}) return [out, ${one}];`),
)

const program = fc
  .array(statement, { minLength: 1, maxLength: 5 })
  .map((lines) => `export async function f(a, b, c = 2) { const out = []; ${lines.join(' ')} return [out, a, b]; }`)

type Outcome = Promise<unknown>

const observers = observersText.join('\n').replaceAll('export ', '')

/** What a module's `f` gives; a loop that a mutant made endless is cut short by its own text. */
function outcome(text: string, mutant: number, reached = new Uint8Array(1_000)): Outcome {
  const bounded = text.replace(/^import [^;]*; /, '').replace('export async function', 'let left = 500; async function')
  const body = bounded.replaceAll(' if (', ' if (--left < 0) throw new Error("endless"); if (')
  const f = new Function('$m', '$h', `${observers}; ${body}; return f`)(mutant, reached)
  return f(3, true).then(JSON.stringify, (cause: Error) => cause.constructor.name)
}

const problemsOf = (source: ts.SourceFile): unknown => Reflect.get(source, 'parseDiagnostics')

describe('an instrumented module', () => {
  it('does without a mutant what the module does, and with one what the changed text does', async () => {
    await fc.assert(
      fc.asyncProperty(program, async (text) => {
        const { text: made, mutants } = instrumented(ts, 'a.js', text, { sites: 0, mutants: 0 })
        expect(await outcome(made, 0)).toEqual(await outcome(text, 0))
        const source = parsed(ts, 'a.js', text)
        const changes = sitesOf(ts, source).flatMap((site) => site.changes)
        expect(changes).toHaveLength(mutants.length)
        for (const [at, change] of changes.entries()) {
          expect(await outcome(made, at + 1), `mutant ${at + 1}`).toEqual(await outcome(changedText(source, change), 0))
        }
      }),
      { numRuns: isLong ? 1_000 : 30 },
    )
  })

  it('tells where a change makes no difference', async () => {
    let without = 0
    await fc.assert(
      fc.asyncProperty(program, async (text) => {
        const { text: made, mutants } = instrumented(ts, 'a.js', text, { sites: 0, mutants: 0 })
        const reached = new Uint8Array(1_000)
        const here = await outcome(made, 0, reached)
        for (const { number, effect } of mutants) {
          if (effect?.isCertain !== true || reached[effect.site] === 1) continue
          without++
          expect(await outcome(made, number), `mutant ${number}`).toEqual(here)
        }
      }),
      { numRuns: isLong ? 1_000 : 30 },
    )
    expect(without).toBeGreaterThan(isLong ? 1_000 : 30)
  })

  it.each(['src/raft/core', 'src/gossip/core', 'sim/checkers/raft'])(
    'parses, and so does every mutant of %s',
    (room) => {
      const files = readdirSync(new URL(room, built)).filter((name) => name.endsWith('.js'))
      expect(files.length).toBeGreaterThan(3)
      for (const [nth, name] of files.entries()) {
        const text = readFileSync(new URL(`${room}/${name}`, built), 'utf8')
        const made = instrumented(ts, `${room}/${name}`, text, { sites: 0, mutants: 0 })
        expect(problemsOf(parsed(ts, name, made.text)), name).toEqual([])
        const source = parsed(ts, name, text)
        const changes = sitesOf(ts, source).flatMap((site) => site.changes)
        // To parse a module again for each of its mutants takes a second for each large one.
        for (const change of changes.filter((_, at) => at % 16 === nth % 16)) {
          expect(problemsOf(parsed(ts, name, changedText(source, change))), `${name} ${change.operator}`).toEqual([])
        }
      }
    },
  )
})
