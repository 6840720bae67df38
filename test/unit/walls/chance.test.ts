import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '../../tools/planted.ts'

/**
 * What can make numbers of chance, or keep a stream of them from one decision to the next, beside `draw(seed,
 * identity)`. An arithmetic hash is the same arithmetic as a generator, so it is asked for its reason, too.
 */
const makers: readonly { readonly what: string; readonly form: RegExp }[] = [
  { what: 'a generator of a package', form: /from '(seedrandom|pure-rand|random-js|chance|nanoid|uuid)/ },
  {
    what: 'entropy of the machine',
    form: /import \{[^}]*\brandom\w*[^}]*\} from '(node:)?crypto'|\bgetRandomValues\(|Math\.random\(/,
  },
  { what: 'a stream of its own', form: /class \w+(?:<[^>]*>)? implements [^{]*\b(RandomStream|GossipRandom|Random)\b/ },
  {
    what: 'a stream that is kept',
    form: /^\s+(?:declare |readonly |private |static )*#?\w+[?!]?: (?:RandomStreams?|Draws|GossipRandom)(?: \| undefined)?(?: =.*)?$/m,
  },
  {
    what: 'a stream that is kept',
    form: /(?:this\.)?#\w+ (?:\?\?)?= [\w.#?]*\.(?:draws|drawsOnce|drawsNext|drawsWithin|drawsApart)\(|\bnew RandomStreams\(/,
  },
  { what: 'arithmetic of a hash', form: /Math\.imul\(|\^= ?\w+ (?:<<|>>>?) |0x5deece66d|1103515245|1664525/i },
]

const planted: readonly string[] = [
  "import seedrandom from 'seedrandom'",
  "import { createHash, randomBytes } from 'node:crypto'",
  'const at = Math.random()',
  'class Dice implements RandomStream {',
  'class Dice<T> implements Closable, RandomStream {',
  'class Clients {\n  readonly #draws: Draws\n',
  'class Clients {\n  #numbers: RandomStream | undefined\n',
  "class Clients {\n  readonly #pauses = world.decisions.draws('pauses')\n",
  "    this.#numbers ??= this.#env.random.draws('gossip')",
  "const streams = new RandomStreams('1', sha256)",
  'state = (Math.imul(state, 1664525) + 1013904223) | 0',
  'x ^= x << 13',
]

const keyed: readonly string[] = [
  "const draws = world.decisions.draws('workload', name, client, round, nth)",
  'function drawRange(draw: Draws, range: Range): number {',
  '  pause(\n    draws: Draws,\n    ms: number,\n  ): void {',
  "const jitter = env.random.draws('mesh.retry', service).fraction()",
]

function madeIn(text: string): readonly string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
  return [...new Set(makers.filter(({ form }) => form.test(code)).map(({ what }) => what))]
}

/** Rows of the table of the page: a file or a folder, and its reason. */
function listed(): ReadonlyMap<string, string> {
  const page = readFileSync(join(projectRoot, 'docs/determinism.md'), 'utf8')
  const section = page.split('## Where random numbers are made')[1]?.split('\n## ')[0] ?? ''
  return new Map([...section.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, place = '', why = '']) => [place, why]))
}

function filesBelow(folder: string): readonly string[] {
  const names = readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
}

describe('a draw of chance', () => {
  it('is known by what makes it: each form of a maker is found, and a keyed draw is none', () => {
    expect(planted.filter((code) => madeIn(code).length === 0)).toEqual([])
    expect(keyed.filter((code) => madeIn(code).length > 0)).toEqual([])
    expect(madeIn('/** Math.random() */ // Math.imul(1, 2)\n')).toEqual([])
  })

  it('is keyed, or stands with its reason in the list of docs/determinism.md', () => {
    const list = listed()
    const placeOf = (file: string): string | undefined =>
      [...list.keys()].find((place) => file === place || (place.endsWith('/') && file.startsWith(place)))
    const made = [...filesBelow('src'), ...filesBelow('sim')].flatMap((file) => {
      const found = madeIn(readFileSync(join(projectRoot, file), 'utf8'))
      return found.length === 0 ? [] : [{ file, found, place: placeOf(file) }]
    })
    expect(made.filter(({ place }) => place === undefined)).toEqual([])
    const used = new Set(made.map(({ place }) => place))
    expect([...list.keys()].filter((place) => !used.has(place))).toEqual([])
  })
})
