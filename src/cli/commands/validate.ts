import { failed, misused } from '../api/client.ts'
import type { CliCommand } from '../command.ts'

export const validateCommand: CliCommand = {
  path: ['validate'],
  summary: 'Validate config files or directories',
  operands: 'FILE_OR_DIRECTORY...',
  about: 'Reads all of them as an agent would, and starts nothing.',
  flags: [
    {
      name: 'config-format',
      kind: 'text',
      value: '<format>',
      help: 'Read every configuration file as this, json or hcl, whatever its name.',
    },
    {
      name: 'release',
      kind: 'text',
      value: '<release>',
      help: 'Read them as an agent of this release would, to see before an upgrade what it refuses.',
    },
    {
      name: 'schema',
      kind: 'bool',
      help: 'Print the JSON Schema of configuration files, for editors, and validate nothing.',
    },
    { name: 'quiet', kind: 'bool', help: 'Print nothing when the configuration is valid.' },
  ],
  async run(invocation) {
    const { args, env, flags, terminal } = invocation
    if (flags.get('schema') === true) {
      const { configJsonSchema } = await import('../../config/json-schema.ts')
      terminal.out(`${JSON.stringify(configJsonSchema(invocation.naming), undefined, 2)}\n`)
      return 0
    }
    if (args.length === 0) return misused(invocation, 'Must specify at least one config file or directory')
    const { loadConfig } = await import('../../config/load.ts')
    const { problemLines } = await import('../../config/problem.ts')
    const steering = ['config-format', 'release'].flatMap((name) => {
      const value = flags.get(name)
      return value === undefined ? [] : [[name, value] as const]
    })
    const loaded = await loadConfig(env, new Map(steering), args, invocation.naming)
    if (!loaded.ok) {
      for (const problem of loaded.error) failed(invocation, `Config validation failed: ${problemLines(problem)}`)
      return 1
    }
    const { startProblems } = await import('../running/start-problem.ts')
    const problems = await startProblems(env, loaded.value)
    for (const problem of problems) failed(invocation, `Config validation failed: ${problem}`)
    if (problems.length > 0) return 1
    if (flags.get('quiet') === true) return 0
    for (const warning of loaded.value.unheeded) terminal.error(`${warning}\n`)
    terminal.out('Configuration is valid!\n')
    return 0
  },
}
