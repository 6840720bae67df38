import { equalBytes, textOf, utf8 } from '../../base/bytes.ts'
import { done, err, ok, type Result } from '../../base/result.ts'
import type { Env } from '../../env/env.ts'
import { Keyring, keyFrom } from '../../gossip/keyring.ts'
import type { Naming } from '../../model/naming/naming.ts'
import type { StartFailure } from '../boot/lifecycle.ts'
import { readWholeFile, writeWholeFile } from '../boot/whole-file.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import { lanFiles, type PoolFiles } from './member-snapshot.ts'

const directory = 'serf'

/** The gossip keys of a pool, and whether the data directory has them already. */
export interface PoolKeys {
  readonly keyring: Keyring
  readonly isKept: boolean
}

/**
 * The keys to gossip with: the stored ones, otherwise the configured one; undefined without either, and then gossip is
 * not encrypted. Writes nothing. As in the field, a configured key is ignored if keys are stored: the pool may have
 * rotated away from it.
 */
export async function loadPoolKeys(
  env: Env,
  { dataDir, naming, pool }: AgentConfig,
  files: PoolFiles = lanFiles,
): Promise<Result<PoolKeys | undefined, StartFailure>> {
  if (dataDir !== undefined && pool.keepsKeyring) {
    const path = `${dataDir}/${directory}/${files.keyring}`
    const found = await readWholeFile(env.disk, path)
    if (found.ok) {
      const kept = keptKeys(path, textOf(found.value))
      if (kept.ok && pool.encrypt !== undefined)
        warnOfKept(env, kept.value.keyring, pool.encrypt, { path, ...files }, naming)
      return kept
    }
    if (found.error.kind !== 'not-found') {
      const message = `${path}: ${found.error.message}`
      const remedy = found.error.kind === 'permission' ? 'let this user read the file' : 'check the disk'
      return err({ kind: 'data-directory', message, remedy })
    }
  }
  if (pool.encrypt === undefined) return ok(undefined)
  const keyring = Keyring.from([pool.encrypt])
  if (keyring.ok) return ok({ keyring: keyring.value, isKept: false })
  const message = `Failed to configure keyring: Invalid key: ${keyring.error}`
  return err({ kind: 'configuration', message, remedy: `make a key with ${naming.name} keygen` })
}

/** Logs the field's warning, and what follows if the pool no longer uses the configured key. */
function warnOfKept(
  { log }: Env,
  keyring: Keyring,
  encrypt: string,
  { path, pool }: PoolFiles & { readonly path: string },
  { name }: Naming,
): void {
  const text = `${pool} keyring exists but -encrypt given, using keyring`
  const configured = keyFrom(encrypt)
  if (configured.ok && equalBytes(configured.value, keyring.primary)) return log.write('info', 'agent', text, { path })
  const [is, remedy] = ['not the primary key of the keyring', `change keys with ${name} keyring`]
  log.write('warn', 'agent', text, { path, encrypt: is, remedy })
}

function keptKeys(path: string, text: string): Result<PoolKeys, StartFailure> {
  const texts = textsOf(text)
  const keyring = texts === undefined ? err('it is not a JSON array of strings') : Keyring.from(texts)
  if (keyring.ok) return ok({ keyring: keyring.value, isKept: true })
  const remedy = 'restore the file, or remove it and give the key with -encrypt'
  return err({ kind: 'data-directory', message: `${path}: ${keyring.error}`, remedy })
}

function textsOf(text: string): readonly string[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined
}

/** Stores the keys in the data directory, now and with each change. */
export async function keepPoolKeys(
  env: Env,
  { dataDir, pool }: AgentConfig,
  { keyring, isKept }: PoolKeys,
  files: PoolFiles = lanFiles,
): Promise<void> {
  if (dataDir === undefined || !pool.keepsKeyring) return
  const file = new KeyringFile(env, `${dataDir}/${directory}`, files.keyring, isKept ? keyring.list() : undefined)
  keyring.storeBy((texts) => file.store(texts))
  if (!isKept) await keyring.stored()
}

/**
 * One write at a time, always of the newest keys, so that a flood of changes costs no write for each. A failed write is
 * logged, too: the pool uses the new keys nevertheless.
 */
class KeyringFile {
  readonly #env: Env
  readonly #directory: string
  readonly #name: string
  /** What the file is known to hold. */
  #text: string | undefined
  /** What it is to hold. */
  #wanted = ''
  #writing: Promise<unknown> = Promise.resolve()

  constructor(env: Env, directory: string, name: string, texts: readonly string[] | undefined) {
    this.#env = env
    this.#directory = directory
    this.#name = name
    this.#text = texts === undefined ? undefined : JSON.stringify(texts)
  }

  store(texts: readonly string[]): Promise<Result<undefined, string>> {
    this.#wanted = JSON.stringify(texts)
    const written = this.#writing.then(() => this.#write())
    this.#writing = written
    return written
  }

  async #write(): Promise<Result<undefined, string>> {
    const text = this.#wanted
    if (text === this.#text) return done
    this.#text = undefined
    const { disk, log } = this.#env
    const made = await disk.makeDirectory(this.#directory)
    const written = made.ok ? await writeWholeFile(disk, this.#directory, this.#name, utf8(text), 'new') : made
    if (written.ok) {
      this.#text = text
      return done
    }
    const { path, message: reason } = written.error
    log.write('error', 'agent', 'cannot keep the keyring', { path, reason })
    return err(`cannot keep the keyring: ${path}: ${reason}`)
  }
}
