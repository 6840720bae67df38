import type { AgentConfig } from '../../agent/settings/agent-config.ts'
import { levelNamed } from '../../agent/settings/log-settings.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { configDifferences } from '../../config/differences.ts'
import { type LoadedConfig, loadConfig } from '../../config/load.ts'
import type { Normalized } from '../../config/normalize.ts'
import { problemLines, problemText } from '../../config/problem.ts'
import type { Env } from '../../env/env.ts'
import type { Terminal } from '../../env/terminal.ts'
import { metricsText } from '../../features/agent/metrics-text.ts'
import { releaseText } from '../../model/release.ts'
import { type Program, startProgram } from '../../program/start.ts'
import { WarmUp } from '../../program/warm-up/warm-up.ts'
import type { Invocation } from '../command.ts'
import { type EndingAgent, untilEnded } from './agent-end.ts'
import { EarlySignals } from './early-signals.ts'
import { startFailureText } from './start-problem.ts'
import { Supervisor } from './supervisor.ts'

/** Runs an agent until it is stopped and gives the exit code. Reference: command-line.md#start-of-the-agent. */
export async function runAgent(invocation: Invocation): Promise<number> {
  const { terminal, env, flags, args, naming } = invocation
  if (args.length > 0) return stopped(terminal, `config: Unknown extra arguments: [${args.join(' ')}]`)
  const loaded = await loadConfig(env, flags, [], naming)
  if (!loaded.ok) {
    for (const problem of loaded.error) terminal.error(`==> ${problemLines(problem)}\n`)
    return 1
  }
  const { warnings } = loaded.value
  const config = withContainerRuntime(loaded.value.config, terminal)
  const readings = new Readings(invocation, loaded.value)
  for (const warning of warnings) terminal.out(`${warning}\n`)
  terminal.out(`==> Starting ${config.naming.title} agent...\n`)
  if (config.startJoin.length > 0) terminal.out('==> Joining cluster...\n')
  const opened = terminal.openLog(config.log)
  if (!opened.ok) return stopped(terminal, opened.error)
  const held = config.pidFile === '' ? undefined : terminal.holdPidFile(config.pidFile)
  if (held?.ok === false) return stopped(terminal, `pid_file ${config.pidFile} cannot be written: ${held.error}`)
  const code = await runStarted(invocation, config, readings, loaded.value.placeOf)
  held?.value.close()
  return code
}

/** Starts the agent and runs it to its end. */
async function runStarted(
  { env, terminal }: Invocation,
  config: AgentConfig,
  readings: Readings,
  placeOf: LoadedConfig['placeOf'],
): Promise<number> {
  const early = new EarlySignals(env, terminal)
  const starting = startProgram(env, config, {
    reread: () => {
      terminal.reopenLog()
      return readings.again()
    },
    reloaded: (next) => {
      terminal.showLog(levelNamed[next.logLevel])
      readings.taken()
    },
  })
  const program = await Promise.race([starting, early.ended])
  // The end of the process closes what the start has opened, and goes on from the disk as after a crash.
  if (typeof program === 'string') return stopped(terminal, `Caught signal: ${program}, before the agent had started`)
  if (!program.ok) return stopped(terminal, `Error starting agent: ${startFailureText(program.error, placeOf)}`)
  if (config.startJoin.length > 0) terminal.out('    Join completed.\n')
  terminal.out(banner(config, program.value))
  terminal.showLog(levelNamed[config.logLevel])
  const { agent } = program.value
  terminal.onSignal('SIGUSR1', () => terminal.error(metricsText(agent.env.metrics.snapshot(), agent.telemetry.prefix)))
  const supervisor = new Supervisor(env, terminal.environment)
  supervisor.ready()
  const warmUp = config.warmsUp ? warmingUp(env, config, program.value) : undefined
  const stop = async (): Promise<void> => {
    warmUp?.close()
    await Promise.all([supervisor.stopping(), program.value.stop()])
  }
  early.close()
  const code = await untilEnded(env, terminal, config, supervised(env, agent, supervisor), stop, early.toReload)
  await program.value.endLog()
  return code
}

/** Begins to warm an agent up that is ready. */
function warmingUp(env: Env, config: AgentConfig, program: Program): WarmUp {
  return new WarmUp(env, config, {
    asked: () => program.asked(),
    onEnd: (rounds) => {
      if (rounds.ok) env.log.write('debug', 'agent', 'warmed up with common requests', { rounds: rounds.value })
      else env.log.write('warn', 'agent', 'the warm-up with common requests failed', { reason: rounds.error })
    },
  })
}

function supervised(env: Env, agent: EndingAgent, supervisor: Supervisor): EndingAgent {
  return {
    leave: () => {
      env.detach(supervisor.stopping())
      return agent.leave()
    },
    reload: () => supervisor.whileReloading(() => agent.reload()),
    onFatal: (use) => agent.onFatal(use),
    onLeft: (use) => agent.onLeft(use),
  }
}

/**
 * Sets the address of the container runtime for checks from the variable that the runtime's own clients read.
 * Reference: command-line.md#env-shell-docker_host-notify_socket.
 */
function withContainerRuntime(config: AgentConfig, { environment }: Terminal): AgentConfig {
  const containerRuntime = environment.get('DOCKER_HOST') || config.checksConfig.containerRuntime
  return { ...config, checksConfig: { ...config.checksConfig, containerRuntime } }
}

/** The configuration at the start, as last applied, and as last read. */
class Readings {
  readonly #invocation: Invocation
  readonly #started: Normalized
  #taken: Normalized
  #read: Normalized

  constructor(invocation: Invocation, started: Normalized) {
    this.#invocation = invocation
    this.#started = started
    this.#taken = started
    this.#read = started
  }

  /** Reads the same flags and files again. Warnings that were shown at the start are not repeated. */
  async again(): Promise<Result<AgentConfig, string>> {
    const { env, flags, terminal, naming } = this.#invocation
    const loaded = await loadConfig(env, flags, [], naming)
    if (!loaded.ok) return err(loaded.error.map(problemText).join('; '))
    const news = loaded.value.warnings.filter((warning) => !this.#started.warnings.includes(warning))
    for (const warning of news) env.log.write('warn', 'agent', warning)
    this.#read = loaded.value
    return ok(withContainerRuntime(loaded.value.config, terminal))
  }

  /** Reports for each key whether the agent has applied it, or it waits for the next start. */
  taken(): void {
    const { log } = this.#invocation.env
    const differences = configDifferences(this.#started, this.#taken, this.#read)
    this.#taken = this.#read
    if (differences.length === 0) log.write('info', 'agent', 'Configuration reloaded: nothing has changed')
    for (const { text, applied } of differences) {
      log.write(applied ? 'info' : 'warn', 'agent', `Configuration reloaded: ${text}`)
    }
  }
}

function stopped(terminal: Terminal, message: string): number {
  terminal.error(`==> ${message}\n`)
  return 1
}

/**
 * A port of -1 is closed; listeners that do not exist yet are shown as closed, whatever their setting.
 * Reference: command-line.md#start-of-the-agent.
 */
function banner(config: AgentConfig, program: Program): string {
  const { ports, tls } = config
  const { nodeId } = program.agent.self()
  const isEncrypted = program.agent.lan.isEncrypted
  const clients = config.clientAddresses.join(' ')
  const rows: readonly (readonly [string, string])[] = [
    ['Version', `'v${releaseText(config.release)}'`],
    ['Node ID', `'${nodeId}'`],
    ['Node name', `'${config.nodeName}'`],
    ['Datacenter', `'${config.datacenter}' (Segment: '${config.server ? '<all>' : ''}')`],
    ['Server', `${config.server} (Bootstrap: ${config.bootstrap && !config.dev})`],
    ['Client Addr', `[${clients}] (HTTP: ${ports.http}, HTTPS: ${ports.https}, gRPC: -1, DNS: ${ports.dns})`],
    ['Cluster Addr', `${config.advertiseAddress} (LAN: ${ports.serfLan}, WAN: ${config.server ? ports.serfWan : -1})`],
    ['Encrypt', `Gossip: ${isEncrypted}, TLS-Outgoing: ${tls.verifyOutgoing}, TLS-Incoming: ${tls.verifyIncomingRpc}`],
  ]
  const lines = rows.map(([name, value]) => `${name.padStart(18)}: ${value}\n`)
  return `==> ${config.naming.title} agent running!\n${lines.join('')}\n==> Log data will now stream in as it occurs:\n\n`
}
