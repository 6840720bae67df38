/**
 * Loads every module that commands otherwise load only when they need it. Where commands run in virtual time, no file
 * can be read within a turn, so all modules must be loaded before.
 */
export async function loadAllCommands(): Promise<void> {
  await Promise.all([
    import('../config/json-schema.ts'),
    import('../config/load.ts'),
    import('../config/problem.ts'),
    import('../features/watch/watching.ts'),
    import('../proxy/agent-client.ts'),
    import('../proxy/following.ts'),
    import('../proxy/identity.ts'),
    import('../proxy/mesh-proxy.ts'),
    import('../proxy/planned.ts'),
    import('../proxy/registration.ts'),
    import('./acl/acl-api.ts'),
    import('./acl/acl-explanation.ts'),
    import('./acl/acl-standing.ts'),
    import('./acl/acl-text.ts'),
    import('./api/answers.ts'),
    import('./api/connect-answers.ts'),
    import('./api/json-client.ts'),
    import('./api/profiles.ts'),
    import('./authority-forecast.ts'),
    import('./checkup/check.ts'),
    import('./checkup/facts.ts'),
    import('./files/archives.ts'),
    import('./files/certificates.ts'),
    import('./files/intention-files.ts'),
    import('./files/service-files.ts'),
    import('./files/shell-files.ts'),
    import('./guards/authority-losses.ts'),
    import('./guards/data-losses.ts'),
    import('./guards/server-losses.ts'),
    import('./rfc850.ts'),
    import('./running/agent-run.ts'),
    import('./running/start-problem.ts'),
    import('./upgrade-check.ts'),
    import('./upgrade-facts.ts'),
  ])
}
