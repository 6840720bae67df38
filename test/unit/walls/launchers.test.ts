import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { PlantedTree } from '../../tools/planted.ts'

const launcherFiles = ['launch', 'bundle', 'compile-cache', 'modules', 'young-space'].map((name) => `bin/${name}.js`)

describe.each([
  ['svc', 'dist/src/host/main.js'],
  ['svc-sim', 'dist/sim/main.js'],
])('the launcher of %s', (name, entry) => {
  const trees: PlantedTree[] = []

  function tree(): PlantedTree {
    const made = new PlantedTree().copy(`bin/${name}.js`, ...launcherFiles, 'package.json')
    trees.push(made)
    return made
  }

  function launch(made: PlantedTree, ...args: readonly string[]) {
    return spawnSync(process.execPath, [join(made.root, `bin/${name}.js`), ...args], { encoding: 'utf8' })
  }

  afterEach(() => {
    for (const made of trees.splice(0)) made.remove()
  })

  it('says how to build when nothing is built', () => {
    const ran = launch(tree())
    expect(ran.status).toBe(2)
    expect(ran.stdout).toBe('')
    expect(ran.stderr).toMatch(
      new RegExp(`^${name}: not built yet \\(.*${entry} is missing\\): run "npm run build"\n$`),
    )
  })

  it('hands over the arguments and leaves with the code of main', () => {
    const made = tree().plant(entry, 'export async function main(args) {', '  return Number(args[1])', '}')
    expect(launch(made, 'ignored', '7').status).toBe(7)
  })
})
