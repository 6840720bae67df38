import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Finished } from './real-agent.ts'

const svc = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))

/** What an operator would type under this heading of a page of docs/, block by block. */
export function blocksUnder(heading: string, name = 'operations.md'): readonly string[] {
  const page = readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
  const start = page.indexOf(`\n## ${heading}\n`)
  if (start < 0) throw new Error(`docs/${name} has no heading "${heading}"`)
  const end = page.indexOf('\n## ', start + 1)
  const section = page.slice(start, end < 0 ? undefined : end)
  return [...section.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  )
}

/** Where a block is run. What the page says of an example stands for what is here. */
export interface BlockPlace {
  readonly directory: string
  /** The HTTP API, `host:port`; on the page 127.0.0.1:8500. */
  readonly http: string
  /** On the page /var/lib/svc. */
  readonly dataDir?: string
  /** Where servers reach it; on the page 10.0.0.1:8300. */
  readonly server?: string
}

/** Runs one block to its end, by a shell that stops at the first command that fails. */
export function runBlock(block: string, place: BlockPlace): Promise<Finished> {
  const commands = join(place.directory, 'commands')
  mkdirSync(commands, { recursive: true })
  writeFileSync(join(commands, 'svc'), `#!/bin/sh\nexec "${process.execPath}" "${svc}" "$@"\n`)
  chmodSync(join(commands, 'svc'), 0o755)
  const text = block
    .replaceAll('127.0.0.1:8500', place.http)
    .replaceAll('/var/lib/svc', place.dataDir ?? '/nowhere')
    .replaceAll('10.0.0.1:8300', place.server ?? 'nowhere')
  const env = { ...process.env, PATH: `${commands}:${process.env['PATH']}`, SVC_HTTP_ADDR: place.http }
  const child = spawn('sh', ['-euc', text], { cwd: place.directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, error] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    out += more
  })
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    error += more
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, error })))
}
