import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlantedTree, projectRoot, type ToolRun } from '../../tools/planted.ts'

const compiler = '@typescript/native/bin/tsc'
const rooms = readdirSync(join(projectRoot, 'src'))
const pureRooms = rooms.filter((room) => room !== 'host' && room !== 'native')

/** One line each; the line number is the place the compiler must name. */
const leaks = [
  'setTimeout(() => {}, 1)',
  'setInterval(() => {}, 1)',
  'setImmediate(() => {})',
  'queueMicrotask(() => {})',
  'process.exit(1)',
  'Buffer.alloc(1)',
  "console.log('x')",
  "fetch('http://127.0.0.1')",
  'performance.now()',
  'crypto.randomUUID()',
  "import 'node:fs'; fs",
  "import { readFileSync } from 'node:fs'; readFileSync",
]

function referencesOf(room: string): readonly string[] {
  const parsed = JSON.parse(readFileSync(join(projectRoot, 'src', room, 'tsconfig.json'), 'utf8'))
  return parsed.references.map((reference: { path: string }) => reference.path.replace('../', ''))
}

function settings(tree: PlantedTree): PlantedTree {
  tree.copy('tsconfig.world.json', 'tsconfig.node.json', 'package.json', 'sim/tsconfig.json', 'sim/tsconfig.node.json')
  return tree.copy(...rooms.map((room) => `src/${room}/tsconfig.json`)).linkPackages()
}

/** Every room builds on all it may: the tree that must be accepted. */
function innocent(): PlantedTree {
  const tree = settings(new PlantedTree())
  for (const room of rooms) {
    const imports = referencesOf(room).map((lower) => `import { ${name(lower)} } from '../${lower}/innocent.ts'`)
    const sum = referencesOf(room).map((lower) => ` + ${name(lower)}`)
    tree.plant(`src/${room}/innocent.ts`, ...imports, `export const ${name(room)} = 1${sum.join('')}`)
  }
  tree.plant('sim/innocent.ts', "import { base } from '../src/base/innocent.ts'", 'export const sim = base')
  return tree.plant('sim/main.ts', "import { sim } from './innocent.ts'", 'setTimeout(() => process.exit(sim), 1)')
}

/** Every room names what it must not have and imports every room it does not build on. */
function leaking(): PlantedTree {
  const tree = settings(new PlantedTree())
  for (const room of rooms) tree.plant(`src/${room}/island.ts`, 'export const island = 1')
  for (const room of pureRooms) {
    const climbs = strangersOf(room).map((other) => `import { island as ${name(other)} } from '../${other}/island.ts'`)
    tree.plant(`src/${room}/climb.ts`, ...climbs, `export const climbed = [${strangersOf(room).map(name).join(', ')}]`)
    tree.plant(`src/${room}/leak.ts`, ...leaks)
  }
  tree.plant('sim/island.ts', 'export const island = 1').plant('sim/main.ts', 'export {}')
  tree.plant('sim/leak.ts', ...leaks)
  return tree.plant('src/host/spy.ts', "import { island } from '../../sim/island.ts'", 'export const seen = island')
}

function strangersOf(room: string): readonly string[] {
  return rooms.filter((other) => other !== room && !referencesOf(room).includes(other))
}

function name(room: string): string {
  return room.replace('-', '')
}

function build(tree: PlantedTree): ToolRun {
  return tree.run(compiler, '-b', '--pretty', 'false', ...rooms.map((room) => `src/${room}`), 'sim/tsconfig.node.json')
}

describe('the compiler worlds', () => {
  const trees = [innocent(), leaking()] as const
  let accepted: ToolRun
  let refused: ToolRun

  beforeAll(() => {
    accepted = build(trees[0])
    refused = build(trees[1])
  })

  afterAll(() => {
    for (const tree of trees) tree.remove()
  })

  it('accept code that keeps to its world and to lower layers', () => {
    expect(accepted).toEqual({ status: 0, output: '' })
  })

  it.each([...pureRooms.map((room) => `src/${room}`), 'sim'])('have no ambient platform in %s', (room) => {
    for (const [index, leak] of leaks.entries()) {
      expect(refused.output, leak).toMatch(new RegExp(`^${room}/leak\\.ts\\(${index + 1},\\d+\\): error TS`, 'm'))
    }
  })

  it.each(pureRooms)('refuse every import from src/%s of a room that it does not build on', (room) => {
    for (const [index, stranger] of strangersOf(room).entries()) {
      const place = new RegExp(`^src/${room}/climb\\.ts\\(${index + 1},\\d+\\): error TS6307`, 'm')
      expect(refused.output, stranger).toMatch(place)
    }
  })

  it('refuse an import of the simulator from the one room of src that has Node', () => {
    expect(refused.output).toMatch(/^src\/host\/spy\.ts\(1,\d+\): error TS6307/m)
  })
})
