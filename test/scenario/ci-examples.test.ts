import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { exits } from '../../sim/cli/terminal.ts'
import { type Finished, projectRoot } from './svc-sim.ts'

/**
 * With SVC_TEST_LONG=1 the lines of every engine run the real program; without it those of engines that are not here
 * are recorded.
 */
const isLong = process.env['SVC_TEST_LONG'] === '1'

const page = `scenario: One server
cluster:
  dc1:
    servers: { count: 1 }
    config: { performance: { raft_multiplier: 1 } }
steps:
  - step: it leads
    eventually: { within: 5s, leader: exactly one }
`
const commit = '9fceb02d0ae598e95dc970b74767f19372d61af8'

// biome-ignore lint/suspicious/noExplicitAny: documents of engines, whose shapes are what is checked here
type Document = any

function documents(name: string): readonly Document[] {
  return parseAllDocuments(readFileSync(join(projectRoot, 'examples/ci', name), 'utf8')).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })
}

/** A folder to run lines in, with programs of these names before all others. */
function workplace(programs: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ci-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'one.yaml'), page)
  writeFileSync(join(folder, 'bad.yaml'), page.replace('One server', 'No time').replace('5s', '1ms'))
  const bin = mkdtempSync(join(tmpdir(), 'svc-ci-bin-'))
  onTestFinished(() => rmSync(bin, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/bash\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const run = (lines: string, variables: Readonly<Record<string, string>>): Promise<Finished> =>
    new Promise((resolve, reject) => {
      const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: folder, ...variables }
      execFile('bash', ['-e', '-c', lines], { cwd: folder, env }, (error, out, err) => {
        const code = error === null ? 0 : error.code
        if (typeof code === 'number') resolve({ exit: code, out, err })
        else reject(error ?? new Error('no exit code'))
      })
    })
  return { folder, run }
}

const program = `exec ${process.execPath} ${join(projectRoot, 'bin/svc-sim.js')} "$@"`
/** Writes each call down, and ends as a test wants it to. */
const recorded = `echo "$@" >> calls; case "$1" in explore) echo '{}' > "\${@: -1}"; exit \${EXIT:-0};; esac; exit 1`
/** A folder that an engine names after the campaign. */
const campaign = '6f1c2d3e-0000-4000-8000-0000000000aa'
const stand = isLong ? `case "$1" in explore) set -- "$@" one.yaml --jobs 1;; esac; ${program}` : recorded
const shims = {
  npx: `shift\n${stand}`,
  'svc-sim': stand.replace('"${@: -1}"', '"${@: -2:1}"'),
  npm: '',
  'buildkite-agent': '[ "$*" = "artifact download shard-*.jsonl ." ]',
}

/** One share as an engine runs it: its lines and the variables that the engine sets. */
interface Share {
  readonly lines: string
  readonly variables: Readonly<Record<string, string>>
}

/** Runs all shares of an engine and the lines of its last step; what svc-sim was asked for. */
async function asked(shares: readonly Share[], merge: string, into = '.') {
  const { folder, run } = workplace(shims)
  if (into !== '.') {
    // What a larger campaign before has left on the volume.
    mkdirSync(join(folder, 'before'))
    for (const at of [0, 20]) writeFileSync(join(folder, `before/shard-${at}.jsonl`), '{}\n')
    writeFileSync(join(folder, 'latest'), 'before\n')
  }
  for (const { lines, variables } of shares) {
    expect(await run(lines, { EXIT: '1', ...variables })).toMatchObject({ exit: isLong ? 0 : 1 })
  }
  expect((await run(merge, {})).exit).toBe(isLong ? 0 : 1)
  const files = readdirSync(join(folder, into)).filter((name) => /^shard-\d+\.jsonl$/.test(name))
  expect(files).toHaveLength(shares.length)
  if (isLong) return undefined
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n')
  expect(calls.at(-1)).toBe(
    `merge ${files
      .map((name) => (into === '.' ? name : `${into}/${name}`))
      .toSorted()
      .join(' ')}`,
  )
  return calls.slice(0, -1)
}

const from = (count: number, first = 1) => Array.from({ length: count }, (_, at) => at + first)
const seeds = isLong ? '1..8' : '1..40'
const exploring = (count: number, more: (index: number) => string) =>
  from(count).map((index) => `explore --seeds ${seeds} ${more(index)}`)

describe('examples of engines, with their variables set by this test', () => {
  it('GitHub Actions: a matrix, whose files are uploaded whatever became of them', async () => {
    const [{ on, env, jobs }] = documents('github-actions.yml') as [Document]
    expect(Object.keys(on)).toContain('push')
    const { strategy, steps } = jobs.explore
    const { shard } = strategy.matrix
    expect(strategy['fail-fast']).toBe(false)
    expect(shard).toEqual(from(shard.length))
    const filled = (text: string, index: number): string =>
      text
        .replaceAll('${{ matrix.shard }}', String(index))
        .replaceAll('${{ strategy.job-total }}', String(shard.length))
    const runs = (of: Document): string => of.flatMap(({ run }: Document) => run ?? []).join('\n')
    const variables = (index: number) => ({
      SEEDS: isLong ? seeds : env.SEEDS,
      GITHUB_SHA: commit,
      SHARD: filled(jobs.explore.env.SHARD, index),
      FILE: filled(jobs.explore.env.FILE, index),
    })
    const shares = shard.map((index: number) => ({ lines: runs(steps), variables: variables(index) }))
    const upload = steps.find(({ uses = '' }: Document) => uses.startsWith('actions/upload-artifact@'))
    expect(upload).toMatchObject({ if: 'always()', with: { path: 'shard-*.jsonl' } })
    const names = shard.map((index: number) => filled(upload.with.name, index))
    expect(new Set(names).size).toBe(shard.length)
    expect(jobs.merge).toMatchObject({ needs: 'explore', if: 'always()' })
    const download = jobs.merge.steps.find(({ uses = '' }: Document) => uses.startsWith('actions/download-artifact@'))
    expect(download.with).toEqual({ pattern: 'shard-*', 'merge-multiple': true })
    expect((await asked(shares, runs(jobs.merge.steps))) ?? exploring(8, (n) => n8(n, 1))).toEqual(
      exploring(8, (n) => n8(n, 1)),
    )
  })

  it('GitLab: parallel jobs, whose files are artifacts whatever became of them', async () => {
    const [{ stages, variables, default: usual, explore, merge }] = documents('gitlab-ci.yml') as [Document]
    expect(stages).toEqual([explore.stage, merge.stage])
    expect(explore.artifacts).toMatchObject({ when: 'always', paths: ['shard-*.jsonl'] })
    expect(merge).toMatchObject({ needs: ['explore'], when: 'always' })
    expect(explore.retry.exit_codes).toEqual([exits.noVerdict])
    const lines = (job: Document): string => [...usual.before_script, ...job.script].join('\n')
    const shares = from(explore.parallel).map((index) => ({
      lines: lines(explore),
      variables: {
        SEEDS: isLong ? seeds : variables.SEEDS,
        CI_COMMIT_SHA: commit,
        CI_NODE_INDEX: String(index),
        CI_NODE_TOTAL: String(explore.parallel),
      },
    }))
    expect((await asked(shares, lines(merge))) ?? exploring(8, (n) => n8(n, 1))).toEqual(exploring(8, (n) => n8(n, 1)))
  })

  it('Buildkite: parallel jobs counted from 0, whose files are artifacts whatever became of them', async () => {
    const [{ env, steps }] = documents('buildkite.yml') as [Document]
    const [explore, merge] = steps
    expect(explore.artifact_paths).toBe('shard-*.jsonl')
    expect(merge.depends_on).toEqual([{ step: explore.key, allow_failure: true }])
    const lines = ({ commands }: Document): string => {
      const text: string = commands.join('\n')
      expect(text.replaceAll('$$', '')).not.toContain('$')
      return text.replaceAll('$$', '$')
    }
    const shares = from(explore.parallelism, 0).map((index) => ({
      lines: lines(explore),
      variables: {
        SEEDS: isLong ? seeds : env.SEEDS,
        BUILDKITE_COMMIT: commit,
        BUILDKITE_PARALLEL_JOB: String(index),
        BUILDKITE_PARALLEL_JOB_COUNT: String(explore.parallelism),
      },
    }))
    expect((await asked(shares, lines(merge))) ?? exploring(8, (n) => n8(n, 0))).toEqual(exploring(8, (n) => n8(n, 0)))
  })

  it('Kubernetes: an Indexed Job that deals with every exit code of explore', async () => {
    const [claim, job] = documents('kubernetes/job.yaml') as [Document, Document]
    const [merge] = documents('kubernetes/merge.yaml') as [Document]
    expect([job.apiVersion, job.kind, job.spec.completionMode]).toEqual(['batch/v1', 'Job', 'Indexed'])
    const { completions, backoffLimitPerIndex, podFailurePolicy, template } = job.spec
    expect(backoffLimitPerIndex).toBeGreaterThan(0)
    expect(template.spec.restartPolicy).toBe('Never')
    const [container] = template.spec.containers
    const rules = podFailurePolicy.rules.filter(({ onExitCodes }: Document) => onExitCodes !== undefined)
    for (const { onExitCodes } of rules) {
      expect(onExitCodes).toMatchObject({ containerName: container.name, operator: 'In' })
      expect(onExitCodes.values).toEqual(onExitCodes.values.toSorted())
    }
    const acted = rules.flatMap(({ action, onExitCodes }: Document) =>
      onExitCodes.values.map((code: number) => [code, action]),
    )
    expect(Object.fromEntries(acted)).toEqual({
      [exits.failed]: 'FailIndex',
      [exits.usage]: 'FailJob',
      [exits.notDeterministic]: 'FailIndex',
      [exits.undecided]: 'FailIndex',
      [exits.noVerdict]: 'Count',
      [exits.internal]: 'FailIndex',
    })
    for (const { spec } of [template, merge.spec.template]) {
      expect(spec.volumes[0].persistentVolumeClaim.claimName).toBe(claim.metadata.name)
      expect(spec.containers[0].volumeMounts[0].mountPath).toBe(spec.containers[0].workingDir)
      expect(spec.containers[0].command).toEqual(['sh', '-ec'])
    }
    const given = Object.fromEntries(
      container.env.map(({ name, value, valueFrom }: Document) => [name, valueFrom === undefined ? value : campaign]),
    )
    const [{ valueFrom }] = container.env.filter(({ name }: Document) => name === 'CAMPAIGN')
    expect(valueFrom.fieldRef.fieldPath).toBe("metadata.labels['batch.kubernetes.io/controller-uid']")
    expect(given.SHARDS).toBe(String(completions))
    const shares = from(completions, 0).map((index) => ({
      lines: container.args[0],
      variables: { ...given, SEEDS: seeds, JOB_COMPLETION_INDEX: String(index) },
    }))
    const wanted = from(8).map(
      (n) => `explore --seeds ${seeds} --shard ${n}/8 --jsonl ${campaign}/shard-${n - 1}.jsonl --resume`,
    )
    const [merging] = merge.spec.template.spec.containers
    expect((await asked(shares, merging.args[0], campaign)) ?? wanted).toEqual(wanted)
    const image = readFileSync(join(projectRoot, 'examples/ci/kubernetes/Dockerfile'), 'utf8')
    expect(image).toMatch(/^ENTRYPOINT \["svc-sim"\]$/m)
  })
})

/** What follows the seeds where a commit has its own; `first`: the number that the engine gives its first share. */
function n8(index: number, first: number): string {
  return `--commit ${commit} --shard ${index}/8 --jsonl shard-${index - 1 + first}.jsonl`
}

const runs = (command: string): boolean => spawnSync('bash', ['-c', command]).status === 0
const script = (name: string): string => `bash ${join(projectRoot, 'examples/ci', name)}`

describe('examples that run here', () => {
  it.skipIf(!runs('command -v xargs'))(
    "xargs (skipped without Debian's findutils): runs all shares and adds them up",
    async () => {
      const { run, folder } = workplace({ npx: `shift; ${program}` })
      const { exit, out } = await run(`${script('xargs.sh')} one.yaml`, { SEEDS: '1..3', SHARDS: '2' })
      expect(out).toMatch(/^One server: 3 of 3 seeds up to 3, all passed$/m)
      expect(exit).toBe(0)
      expect(readdirSync(join(folder, 'campaign'))).toEqual(['shard-1.jsonl', 'shard-2.jsonl'])
      // What the files say is true of another page.
      writeFileSync(join(folder, 'one.yaml'), page.replace('5s', '1ms'))
      const changed = await run(`${script('xargs.sh')} one.yaml`, { SEEDS: '1..3', SHARDS: '2' })
      expect(changed.err).toContain('another campaign')
      expect(changed).toMatchObject({ exit: 2, out: '' })
    },
  )

  it.skipIf(!runs("parallel --version | grep -q '^GNU parallel'"))(
    "GNU parallel (skipped without Debian's parallel; that of moreutils is another one): fails on a failure, and goes on where it was",
    async () => {
      const { run, folder } = workplace({ npx: `shift; ${program}` })
      const variables = { SEEDS: '1..2', SHARDS: '2' }
      const once = await run(`${script('gnu-parallel.sh')} bad.yaml`, variables)
      expect(once.out).toMatch(/^No time: 2 of 2 seeds up to 2, 2 failed$/m)
      expect(once.exit).toBe(1)
      const again = await run(`${script('gnu-parallel.sh')} bad.yaml`, variables)
      expect(again.exit).toBe(1)
      expect(again.out.split('\n').at(-2)).toBe(once.out.split('\n').at(-2))
      expect(readFileSync(join(folder, 'campaign/joblog'), 'utf8').trimEnd().split('\n')).toHaveLength(3)
      writeFileSync(join(folder, 'bad.yaml'), page)
      const changed = await run(`${script('gnu-parallel.sh')} bad.yaml`, variables)
      expect(changed.err).toContain('another campaign')
      expect(changed).toMatchObject({ exit: 2, out: '' })
    },
  )
})
