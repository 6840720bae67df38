import { base64, textOf, utf8 } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { variableName } from '../../model/naming/names.ts'
import type { Invocation } from '../command.ts'
import { truthOf } from '../flags/go-flags.ts'
import type { Profile } from './profiles.ts'

/** A token is shorter; a larger file is not a token. */
const tokenFileBytesMax = 4096

/**
 * How an agent is reached: from flags, from variables of the environment under the name that the program has, and from
 * the profile that SVC_PROFILE names, in this order.
 */
export class ClientSettings {
  readonly #invocation: Invocation
  readonly #profile: Profile

  constructor(invocation: Invocation, profile: Profile = new Map()) {
    this.#invocation = invocation
    this.#profile = profile
  }

  /** Reads the profile. The error is the line to print. */
  static async read(invocation: Invocation): Promise<Result<ClientSettings, string>> {
    const plain = new ClientSettings(invocation)
    const name = plain.variable('PROFILE')
    if (name === undefined) return ok(plain)
    const file = plain.#profilesFile()
    if (file === undefined) return err(`the profile "${name}" cannot be found: set HOME, or SVC_PROFILES to its file`)
    const { readProfile } = await import('./profiles.ts')
    const profile = await readProfile(invocation.env, file, name)
    return profile.ok ? ok(new ClientSettings(invocation, profile.value)) : profile
  }

  /** An empty value counts as not given. */
  text(flag: string, variable: string): string | undefined {
    return this.#flag(flag) ?? this.variable(variable) ?? this.#profile.get(flag)
  }

  truth(variable: string): Result<boolean | undefined, string> {
    const text = this.variable(variable)
    if (text === undefined) return ok(undefined)
    const truth = truthOf(text)
    return truth === undefined
      ? err(`${variableName(this.#invocation.naming, variable)} "${text}" is not a boolean`)
      : ok(truth)
  }

  /** `user[:password]`. RFC 7617. */
  authorization(): readonly (readonly [name: string, value: string])[] {
    const user = this.variable('HTTP_AUTH')
    if (user === undefined) return []
    return [['Authorization', `Basic ${base64(utf8(user.includes(':') ? user : `${user}:`))}`]]
  }

  variable(name: string): string | undefined {
    const { naming, terminal } = this.#invocation
    const value = terminal.environment.get(variableName(naming, name))
    return value === '' ? undefined : value
  }

  /**
   * The token, from the first place that names one or its file; undefined: the request has none. An empty -token is
   * sent, so that a caller can be anonymous in spite of the environment. The error is the line to print.
   */
  async token(): Promise<Result<string | undefined, string>> {
    const { flags } = this.#invocation
    const [flag, file] = [flags.get('token'), this.#flag('token-file')]
    if (typeof flag === 'string')
      return file === undefined ? ok(flag) : err('-token and -token-file exclude each other')
    if (file !== undefined) return this.#tokenOf(file)
    const variable = this.variable('HTTP_TOKEN')
    if (variable !== undefined) return ok(variable)
    const named = this.variable('HTTP_TOKEN_FILE') ?? this.#profile.get('token-file')
    return named === undefined ? ok(this.#profile.get('token')) : this.#tokenOf(named)
  }

  async #tokenOf(path: string): Promise<Result<string, string>> {
    const { env, terminal } = this.#invocation
    const file = await env.disk.open(path, 'read')
    if (!file.ok) return err(`the token file ${path} cannot be read: ${file.error.message}`)
    const bytes = await file.value.read(0, tokenFileBytesMax + 1)
    await file.value.close()
    if (!bytes.ok) return err(`the token file ${path} cannot be read: ${bytes.error.message}`)
    const token = textOf(bytes.value).trim()
    if (bytes.value.length > tokenFileBytesMax || !/^[\x21-\x7e]+$/.test(token))
      return err(`the token file ${path} does not hold one token, alone on a line`)
    const entry = await env.disk.stat(path)
    if (entry.ok && entry.value.readers === 'everybody')
      terminal.error(`Warning: every user of the machine may read the token file ${path}: chmod 600 ${path}\n`)
    return ok(token)
  }

  #flag(name: string): string | undefined {
    const given = this.#invocation.flags.get(name)
    return typeof given === 'string' && given !== '' ? given : undefined
  }

  /** As XDG's base directories have it. */
  #profilesFile(): string | undefined {
    const { naming, terminal } = this.#invocation
    const home = terminal.environment.get('HOME')
    const base = terminal.environment.get('XDG_CONFIG_HOME') || (home === undefined ? undefined : `${home}/.config`)
    return this.variable('PROFILES') ?? (base === undefined ? undefined : `${base}/${naming.name}/profiles.json`)
  }
}
