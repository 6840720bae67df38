import { z } from 'zod'
import { textOf } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { parseDocument } from '../../config/sources/document.ts'
import type { Env } from '../../env/env.ts'

const text = z.string('write a text').min(1, 'write a text that is not empty')

/** One cluster, as commands reach it. Its members are the flags of commands with underscores. */
const profileSchema = z.strictObject({
  http_addr: text.optional(),
  token: text.optional(),
  token_file: text.optional(),
  ca_file: text.optional(),
  ca_path: text.optional(),
  client_cert: text.optional(),
  client_key: text.optional(),
  tls_server_name: text.optional(),
})

const profilesSchema = z.record(z.string(), profileSchema)

/** The settings of a profile, by the flags that they stand for. */
export type Profile = ReadonlyMap<string, string>

/** A larger file is refused. */
const profilesBytesMax = 64 << 10

/** These members name files; a relative one is looked up beside the file of the profiles. */
const paths: readonly string[] = ['token_file', 'ca_file', 'ca_path', 'client_cert', 'client_key']

/** Reads a profile of a file of JSON. The error is one line that names the file, and where in it the mistake is. */
export async function readProfile(env: Env, file: string, name: string): Promise<Result<Profile, string>> {
  const opened = await env.disk.open(file, 'read')
  if (!opened.ok) return err(`the profile "${name}" cannot be read: open ${file}: ${opened.error.message}`)
  const bytes = await opened.value.read(0, profilesBytesMax + 1)
  await opened.value.close()
  if (!bytes.ok) return err(`the profile "${name}" cannot be read: ${file}: ${bytes.error.message}`)
  if (bytes.value.length > profilesBytesMax) return err(`${file} is larger than ${profilesBytesMax} bytes`)
  const document = parseDocument(file, textOf(bytes.value))
  if (!document.ok) return err(`${document.error.place}: ${document.error.message}`)
  const profiles = profilesSchema.safeParse(document.value.value)
  if (!profiles.success) return err(problemText(profiles.error.issues[0], document.value.placeOf))
  const profile = Object.hasOwn(profiles.data, name) ? profiles.data[name] : undefined
  if (profile === undefined) {
    const known = Object.keys(profiles.data).join(', ') || 'none'
    return err(`${file} has no profile "${name}": it has ${known}`)
  }
  if (profile.token !== undefined && profile.token_file !== undefined)
    return err(`${document.value.placeOf([name, 'token_file'])}: give token or token_file, not both`)
  const entry = await env.disk.stat(file)
  if (
    entry.ok &&
    entry.value.readers === 'everybody' &&
    Object.values(profiles.data).some(({ token }) => token !== undefined)
  ) {
    return err(
      `${file} contains a token, and every user of the machine may read it: chmod 600 ${file}, or use token_file`,
    )
  }
  const directory = file.slice(0, file.lastIndexOf('/') + 1)
  const entries = Object.entries(profile).flatMap(([key, value = '']): [string, string][] => {
    const at = paths.includes(key) && !value.startsWith('/') ? `${directory}${value}` : value
    return [[key.replaceAll('_', '-'), at]]
  })
  return ok(new Map(entries))
}

function problemText(
  issue: z.core.$ZodIssue | undefined,
  placeOf: (path: readonly (string | number)[]) => string,
): string {
  const path = (issue?.path ?? []).filter((each) => typeof each !== 'symbol')
  if (issue?.code !== 'unrecognized_keys') return `${placeOf(path)}: ${issue?.message ?? 'it cannot be read'}`
  const [key = ''] = issue.keys
  const known = Object.keys(profileSchema.shape).join(', ')
  return `${placeOf([...path, key])}: a profile has no ${JSON.stringify(key)}: it may have ${known}`
}
