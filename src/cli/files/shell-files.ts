import { textOf, utf8 } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Disk } from '../../env/disk.ts'

export type Shell = 'bash' | 'zsh' | 'fish'

/** A larger file is not one that a person wrote for a shell. */
const shellFileBytesMax = 4 << 20

/** The file that a shell reads when it starts, or at the first completion. `home` and `config` are directories. */
export function shellFile(shell: Shell, name: string, home: string, config: string): string {
  if (shell === 'fish') return `${config}/fish/completions/${name}.fish`
  return `${home}/${shell === 'bash' ? '.bashrc' : '.zshrc'}`
}

/** The program prints the completion at each start of the shell, so that it fits the release that is installed. */
export function shellLine(shell: Shell, name: string): string {
  const load = shell === 'fish' ? `${name} completion fish | source` : `source <(${name} completion ${shell})`
  return `command -v ${name} >/dev/null ${shell === 'fish' ? '; and' : '&&'} ${load} # completion of ${name}`
}

/** Adds the line to the end of the file. False: it is there already. The error is a clause. */
export async function addShellLine(disk: Disk, path: string, line: string): Promise<Result<boolean, string>> {
  const made = await disk.makeDirectory(path.slice(0, path.lastIndexOf('/')))
  if (!made.ok) return err(made.error.message)
  return changeText(disk, path, (text) => {
    if (text.split('\n').includes(line)) return undefined
    return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`
  })
}

/** Removes the line; an empty file stays. False: it was not there. The error is a clause. */
export async function removeShellLine(disk: Disk, path: string, line: string): Promise<Result<boolean, string>> {
  const found = await disk.stat(path)
  if (!found.ok) return found.error.kind === 'not-found' ? ok(false) : err(found.error.message)
  return changeText(disk, path, (text) => {
    const lines = text.split('\n')
    return lines.includes(line) ? lines.filter((each) => each !== line).join('\n') : undefined
  })
}

/** Changes the file in place: it may be a link into a folder that a person keeps under version control. */
async function changeText(
  disk: Disk,
  path: string,
  change: (text: string) => string | undefined,
): Promise<Result<boolean, string>> {
  const file = await disk.open(path, 'create', 'everybody')
  if (!file.ok) return err(file.error.message)
  try {
    const before = await file.value.read(0, shellFileBytesMax + 1)
    if (!before.ok) return err(before.error.message)
    if (before.value.length > shellFileBytesMax) return err(`it is larger than ${shellFileBytesMax} bytes`)
    const after = change(textOf(before.value))
    if (after === undefined) return ok(false)
    const bytes = utf8(after)
    const same = commonLength(before.value, bytes)
    const written = await file.value.write(same, bytes.subarray(same))
    if (!written.ok) return err(written.error.message)
    const cut = await file.value.truncate(bytes.length)
    return cut.ok ? ok(true) : err(cut.error.message)
  } finally {
    await file.value.close()
  }
}

/** What stays is not written again, so that a failure on a full disk loses nothing of it. */
function commonLength(before: Uint8Array, after: Uint8Array): number {
  const end = Math.min(before.length, after.length)
  for (let at = 0; at < end; at++) if (before[at] !== after[at]) return at
  return end
}
