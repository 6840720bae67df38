import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/**
 * Runs scenarios in every way that must not matter, and compares the trace hashes: twice, seed A and then B and then A in one
 * process, with another time zone and language, with a trace that is written, and with the Nodes that are named. After a build.
 * Prints a line for each scenario. Exit codes: 0 all hashes of each are equal, 1 some differ or a run gave none, 2 wrong use.
 */
const usage = 'usage: node test/tools/same-hashes.mjs [--seed 1] [--node /path/to/node]... scenario.yaml...\n'
const root = fileURLToPath(new URL('../../', import.meta.url))

function hashOf(binary, args, env) {
  const child = spawn(binary, ['bin/svc-sim.js', 'run', ...args], { cwd: root, env: { ...process.env, ...env } })
  let out = ''
  child.stdout.on('data', (bytes) => (out += bytes))
  child.stderr.on('data', (bytes) => (out += bytes))
  return new Promise((done, failed) => {
    child.on('error', failed)
    child.on('close', (code) => {
      const hash = /\btrace ([0-9a-f]{16})/.exec(out)?.[1]
      done(code === 3 || hash === undefined ? `none (exit code ${code})` : hash)
    })
  })
}

async function hashesOf(file, seed, nodes) {
  const here = process.execPath
  const plain = [file, '--seed', seed, '--quiet']
  const elsewhere = { TZ: 'Pacific/Chatham', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }
  const hashes = new Map()
  hashes.set('plain', await hashOf(here, plain))
  hashes.set('A-B-A in one process', await hashOf(here, [...plain, '--verify']))
  hashes.set('another time zone and language', await hashOf(here, plain, elsewhere))
  hashes.set('with a trace', await hashOf(here, [...plain, '--trace', '/dev/null', '--trace-text', '/dev/null']))
  hashes.set('with its decisions', await hashOf(here, [...plain, '--decisions', '/dev/null']))
  for (const node of nodes) hashes.set(node, await hashOf(node, plain))
  return hashes
}

async function main() {
  const options = { seed: { type: 'string' }, node: { type: 'string', multiple: true } }
  const { positionals, values } = parseArgs({ allowPositionals: true, options })
  if (positionals.length === 0) {
    process.stderr.write(usage)
    return 2
  }
  let differing = 0
  for (const file of positionals) {
    const hashes = await hashesOf(file, values.seed ?? '1', values.node ?? [])
    const first = hashes.get('plain')
    const others = [...hashes].filter(([, hash]) => hash !== first)
    const isSame = others.length === 0 && !first.startsWith('none')
    if (!isSame) differing++
    const found = isSame ? '' : `, but ${others.map(([how, hash]) => `${how}: ${hash}`).join('; ')}`
    process.stdout.write(`${file}: ${first} in ${hashes.size} ways${found}\n`)
  }
  return differing === 0 ? 0 : 1
}

process.exitCode = await main()
