import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Writes down which commit is built, and its date, for `svc version`: `dist/revision`, one line. `+ changes` where the tree has some
 * that are not committed. Where the source is no repository, or Git is not there, nothing is known, and no file is left.
 */
const root = new URL('../../', import.meta.url)
const file = new URL('dist/revision', root)

function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: fileURLToPath(root), encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

// Not that of a repository which the folder merely lies in.
const isOwn = git('rev-parse', '--show-prefix') === ''
const commit = isOwn ? git('log', '-1', '--format=%h (%cI)') : undefined
const changes = git('status', '--porcelain', '--untracked-files=no')
const text = commit === undefined ? undefined : `${commit}${changes === '' ? '' : ' + changes'}\n`
const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined
if (text === undefined) rmSync(file, { force: true })
else if (text !== before) writeFileSync(file, text)
