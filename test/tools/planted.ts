import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const projectRoot = fileURLToPath(new URL('../../', import.meta.url))

export interface ToolRun {
  readonly status: number | null
  readonly output: string
}

/** A tree of its own, outside the project, that holds the project's real settings and code planted to break them. */
export class PlantedTree {
  readonly root = mkdtempSync(join(tmpdir(), 'svc-walls-'))

  copy(...paths: readonly string[]): this {
    for (const path of paths) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true })
      copyFileSync(join(projectRoot, path), join(this.root, path))
    }
    return this
  }

  plant(path: string, ...lines: readonly string[]): this {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), `${lines.join('\n')}\n`)
    return this
  }

  /** Lets the tree resolve the project's packages. */
  linkPackages(): this {
    symlinkSync(join(projectRoot, 'node_modules'), join(this.root, 'node_modules'))
    return this
  }

  /** Runs a script of an installed package in this tree. `script` is relative to the project's node_modules. */
  run(script: string, ...args: readonly string[]): ToolRun {
    const ran = spawnSync(process.execPath, [join(projectRoot, 'node_modules', script), ...args], {
      cwd: this.root,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
      maxBuffer: 16 << 20,
    })
    if (ran.error !== undefined) throw ran.error
    return { status: ran.status, output: ran.stdout + ran.stderr }
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }
}
