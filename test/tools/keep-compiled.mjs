import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bundleLoader, heldBy, keptBeside, youngSpaceOf } from '../../bin/bundle.js'

/**
 * `node keep-compiled.mjs FOLDER PROGRAM`: runs `svc` or `svc-sim` of the bundle in FOLDER for a while, loads whatever else
 * that program can load, and keeps what V8 has compiled for all that: what a start needs, and what most users do first. In
 * a process of its own with no flags, for V8 refuses what was kept with others.
 */
const [folder, program] = process.argv.slice(2)
const entry = join(folder, `${program}.cjs`)
const { load, scripts } = bundleLoader(folder, () => undefined)
/** For an agent that cannot have its ports, or stands still: what it has compiled by then is kept. */
const waitMs = 20_000

/** Files that a file of the bundle names, and those that they name. */
function filesFrom(path, seen = new Set()) {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const [, name] of readFileSync(path, 'latin1').matchAll(/\brequire\(["'`](\.[^"'`]+)["'`]\)/g))
    filesFrom(resolve(dirname(path), name), seen)
  return seen
}

process.on('exit', () => {
  for (const path of filesFrom(entry)) load(path)
  heldBy(youngSpaceOf(program), () => {
    for (const [path, script] of scripts) writeFileSync(keptBeside(path, program), script.createCachedData())
  })
})

function main(words) {
  process.argv.splice(1, process.argv.length, entry, ...words)
  return load(entry).main(words)
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  const { port } = server.address()
  await new Promise((closed) => server.close(closed))
  return port
}

const requests = [
  ['PUT', 'agent/service/register', '{"Name":"web","Port":80,"Check":{"TTL":"10s"}}'],
  ['PUT', 'agent/check/pass/service:web'],
  ['PUT', 'txn', '[{"KV":{"Verb":"get","Key":"a"}}]'],
  ['PUT', 'session/create'],
  ['GET', 'kv/a'],
  ['GET', 'kv/?recurse'],
  ['GET', 'health/service/web?passing'],
  ['GET', 'catalog/service/web'],
  ['GET', 'agent/services'],
  ['GET', 'agent/metrics'],
]
const commands = [['members'], ['kv', 'put', 'b', 'x'], ['kv', 'get', 'b'], ['catalog', 'services'], ['info']]

/** An agent, and what users ask of it first, in the same process. */
async function useAgent() {
  const kinds = ['http', 'server', 'serf-lan', 'dns']
  const ports = new Map(await Promise.all(kinds.map(async (kind) => [kind, await freePort()])))
  const flags = kinds.map((kind) => `-${kind}-port=${ports.get(kind)}`)
  let hasEnded = false
  main(['agent', '-dev', '-log-level=err', '-serf-wan-port=-1', ...flags]).finally(() => {
    hasEnded = true
  })
  const address = `http://127.0.0.1:${ports.get('http')}`
  const ask = async (method, path, body) => {
    const answer = await fetch(`${address}/v1/${path}`, { method, body })
    await answer.arrayBuffer()
    return answer.ok
  }
  while (!hasEnded && !(await ask('PUT', 'kv/a', 'x').catch(() => false))) await pause(20)
  if (hasEnded) return
  for (const request of requests) await ask(...request)
  for (const words of commands) await main([...words, `-http-addr=${address}`])
}

if (program === 'svc-sim') await main(['run', 'scenarios/election-under-partition.yaml', '--quiet'])
else {
  await Promise.race([useAgent(), pause(waitMs)])
  process.exit()
}
