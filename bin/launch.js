import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Runs `main` of a built entry and leaves with its exit code; says what to do when nothing has been built yet. */
export async function launch(name, entry) {
  const url = new URL(entry, import.meta.url)
  if (!existsSync(fileURLToPath(url))) {
    process.stderr.write(`${name}: not built yet (${fileURLToPath(url)} is missing): run "npm run build"\n`)
    process.exitCode = 2
    return
  }
  const { main } = await import(url.href)
  const code = await main(process.argv.slice(2))
  if (typeof code === 'number') process.exitCode = code
}
