import assert from 'node:assert/strict'
import { basename, dirname } from 'node:path'
import { describe, test } from 'node:test'
import { circles, files, type Import, imports, textOf } from './support/source-imports.ts'

/** The rooms of the domain: each may use what stands to its left. */
const rooms = ['audit', 'accounts', 'applications', 'authorization', 'bots', 'webhooks', 'profile']
/** Built-in modules that neither read nor write anything outside the process. */
const modulesWithoutIo = ['node:crypto', 'node:util']
const namelessFolders = ['utils', 'util', 'helpers', 'common', 'shared', 'lib', 'services', 'misc']

/** For a file matching the pattern: what it may import of ours, and how to mend what it may not. */
interface Rule {
  part: string
  of: RegExp
  may: (to: string, from: string) => boolean
  mend: string
}

const rules: Rule[] = [
  {
    part: 'a room of the domain',
    of: /^src\/domain\/([a-z]+)\//,
    may: (to, from) =>
      /^src\/domain\/[^/]+$/.test(to) || rooms.slice(0, rooms.indexOf(roomOf(from)) + 1).includes(roomOf(to)),
    mend: `a domain room uses rooms to its left in ${rooms.join(', ')} and src/domain/*.ts: declare an interface in the room and let src/service.ts pass in what fulfils it`,
  },
  {
    part: 'what all rooms of the domain share',
    of: /^src\/domain\/[^/]+$/,
    may: (to) => /^src\/domain\/[^/]+$/.test(to),
    mend: 'src/domain/*.ts knows no room: move what belongs to one room into it',
  },
  {
    part: 'a surface',
    of: /^src\/surfaces\/([a-z-]+)\//,
    may: (to, from) => surfaceOf(to) === surfaceOf(from) || /^src\/(http|domain)\//.test(to),
    mend: 'a surface uses its own files, src/http/ and src/domain/: move what two surfaces share into src/http/, and let src/service.ts pass in what stands on a store',
  },
  {
    part: 'what surfaces share',
    of: /^src\/http\//,
    may: (to) => /^src\/(http|domain)\//.test(to),
    mend: 'src/http/ stands on src/domain/ only: pass in what it needs',
  },
  {
    part: 'a store',
    of: /^src\/store\//,
    may: (to) => /^src\/(store|domain)\//.test(to),
    mend: 'a store fulfils interfaces of src/domain/: move what it needs there, or pass it in',
  },
  {
    part: 'a client of other providers',
    of: /^src\/upstream\//,
    may: (to) => /^src\/(upstream|domain)\//.test(to),
    mend: 'src/upstream/ fulfils interfaces of src/domain/: move what it needs there, or pass it in',
  },
  {
    part: 'the passkey ceremonies',
    of: /^src\/webauthn\//,
    may: (to) => /^src\/(webauthn|domain)\//.test(to),
    mend: 'src/webauthn/ fulfils interfaces of src/domain/: move what it needs there, or pass it in',
  },
  {
    part: 'a dispatch adapter',
    of: /^src\/dispatch\//,
    may: (to) =>
      /^src\/(dispatch|domain)\//.test(to) ||
      [
        'src/store/sqlite/sqlite-file.ts',
        'src/store/postgres/advisory-locks.ts',
        'src/store/postgres/binary-array.ts',
        'src/store/postgres/listening-connection.ts',
        'src/store/postgres/migrate.ts',
        'src/store/postgres/primary.ts',
        'src/store/postgres/primary-pool.ts',
      ].includes(to),
    mend: 'a dispatch adapter stands on src/domain/ and on its driver',
  },
  {
    part: 'upkeep',
    of: /^src\/upkeep\//,
    may: (to) => /^src\/(upkeep|domain)\//.test(to),
    mend: 'src/upkeep/ only says when; what is pruned belongs to the rooms, which src/service.ts passes in',
  },
  {
    part: 'tracing',
    of: /^src\/tracing\//,
    may: (to) => /^src\/(tracing|domain)\//.test(to),
    mend: 'src/tracing/ fulfils an interface of src/domain/ and sends what it is told',
  },
  {
    part: 'the mail',
    of: /^src\/mail\//,
    may: (to) => /^src\/(mail|domain)\//.test(to) || /^src\/http\/(html|one-time-link)\.ts$/.test(to),
    mend: 'src/mail/ writes mails and hands them over; what they are about comes from src/domain/',
  },
  {
    part: 'the storage',
    of: /^src\/storage\//,
    may: (to) => /^src\/(storage|store|dispatch|domain)\//.test(to) || to === 'src/config.ts',
    mend: 'src/storage/ opens stores and queue on one database; what stands on them is wired in src/service.ts',
  },
  {
    part: 'the composition root',
    of: /^src\/service\.ts$/,
    may: (to) => /^src\/(domain|storage|mail|tracing|upkeep|upstream|webauthn)\//.test(to) || to === 'src/config.ts',
    mend: 'src/service.ts wires adapters and rooms; what speaks HTTP is mounted by src/hosts.ts',
  },
  {
    part: "the gateway's listener",
    of: /^src\/gateway-host\.ts$/,
    may: (to) => /^src\/(surfaces|http|domain)\//.test(to) || ['src/service.ts', 'src/config.ts'].includes(to),
    mend: 'src/gateway-host.ts mounts surfaces; stores and queues reach them through src/service.ts',
  },
  {
    part: 'the hosts',
    of: /^src\/hosts\.ts$/,
    may: (to) =>
      /^src\/(surfaces|http)\//.test(to) ||
      ['src/service.ts', 'src/gateway-host.ts', 'src/config.ts'].includes(to) ||
      to === 'src/domain/store-unavailable.ts',
    mend: 'src/hosts.ts mounts surfaces; everything else reaches them through src/service.ts',
  },
  {
    part: 'the process',
    of: /^src\/process\//,
    may: (to) =>
      /^src\/process\//.test(to) ||
      [
        'src/config.ts',
        'src/service.ts',
        'src/hosts.ts',
        'src/domain/clock.ts',
        'src/domain/secret-key-mismatch.ts',
        'src/domain/store-unavailable.ts',
      ].includes(to),
    mend: 'src/process/ starts and stops the service; what the service does belongs below src/service.ts',
  },
  {
    part: 'the entry',
    of: /^src\/main\.ts$/,
    may: (to) =>
      /^src\/process\//.test(to) ||
      /^src\/(backup\/(backup|restore)|doctor\/doctor|listen\/listen|migrate\/migrate|command-line)\.ts$/.test(to) ||
      to === 'demo/demo.ts',
    mend: 'src/main.ts turns a command line into a command; put the doing into src/process/',
  },
  {
    part: 'backup and doctor',
    of: /^src\/(backup|doctor)\//,
    may: (to, from) =>
      to.startsWith(from.split('/').slice(0, 2).join('/')) ||
      /^src\/process\//.test(to) ||
      /^src\/(store|dispatch)\/[a-z]+\/[a-z]+-file\.ts$/.test(to) ||
      to === 'src/store/migrations.ts' ||
      ['src/store/sqlite/schema-version.ts', 'src/store/secret-key-check.ts', 'src/domain/secret.ts'].includes(to) ||
      ['src/config.ts', 'src/domain/clock.ts', 'src/http/client-address.ts', 'src/http/listen.ts'].includes(to),
    mend: 'src/backup/ and src/doctor/ work beside the service, which may be running; they never open it themselves',
  },
  {
    part: 'the migration',
    of: /^src\/migrate\//,
    may: (to) =>
      /^src\/(migrate|process|store|dispatch)\//.test(to) || ['src/config.ts', 'src/domain/secret.ts'].includes(to),
    mend: 'src/migrate/ reads the files and fills the database; it never starts the service',
  },
  {
    part: 'the terminal runtime',
    of: /^src\/listen\//,
    may: (to) =>
      /^src\/listen\//.test(to) ||
      /^src\/process\/(first-signal|start-fault)\.ts$/.test(to) ||
      ['src/command-line.ts', 'src/config.ts', 'src/domain/clock.ts'].includes(to) ||
      to === 'clients/typescript/src/runtime.ts',
    mend: 'src/listen/ is a bot runtime like any other: it meets the service over WebSocket only, by the TypeScript client',
  },
  {
    part: 'configuration and command line',
    of: /^src\/(config|database-urls|provider-settings|command-line)\.ts$/,
    may: (to, from) => from === 'src/config.ts' && ['src/database-urls.ts', 'src/provider-settings.ts'].includes(to),
    mend: 'src/config.ts and src/command-line.ts only read; pass in what they need',
  },
  {
    part: 'the demo',
    of: /^demo\//,
    may: (to) => /^(demo|clients|src\/process)\//.test(to) || to === 'src/config.ts',
    mend: 'the demo starts the service through src/process/ and meets it only where everybody does: over HTTP and WebSocket',
  },
  {
    part: 'a client',
    of: /^clients\//,
    may: (to, from) => to.startsWith(from.split('/').slice(0, 2).join('/')),
    mend: 'a client is used outside this repository, so it stands alone: copy what it needs',
  },
]

describe('The parts know each other only in the directions that ARCHITECTURE.md draws', () => {
  for (const rule of rules) {
    test(`imports of ${rule.part}`, () => {
      const wrong = imports.filter(({ from, to, kind }) => kind === 'own' && rule.of.test(from) && !rule.may(to, from))
      assert.deepEqual(wrong.map(inWords), [], rule.mend)
    })
  }

  test('every source file falls under a rule', () => {
    const free = files.filter((file) => file.startsWith('src/') && !rules.some(({ of }) => of.test(file)))
    assert.deepEqual(free, [], 'a new place in src/ needs a rule here and a line in ARCHITECTURE.md')
  })

  test('every room of the domain has its place in the order', () => {
    const strangers = files.filter((file) => roomOf(file) !== '' && !rooms.includes(roomOf(file)))
    assert.deepEqual(strangers, [], `put the room into the order ${rooms.join(', ')}`)
  })

  test('the domain does no input or output', () => {
    const wrong = imports.filter(
      ({ from, to, kind }) => from.startsWith('src/domain/') && kind !== 'own' && !modulesWithoutIo.includes(to),
    )
    assert.deepEqual(
      wrong.map(inWords),
      [],
      'declare an interface in the domain and fulfil it in src/store/, src/dispatch/ or src/http/',
    )
  })

  test('only src/config.ts reads the environment', () => {
    const wrong = files.filter(
      (file) => file.startsWith('src/') && file !== 'src/config.ts' && /\bprocess\.env\b/.test(textOf(file)),
    )
    assert.deepEqual(wrong, [], 'add a member to Config and pass it in')
  })

  test('only src/domain/clock.ts reads the time of day', () => {
    const wrong = files.filter(
      (file) =>
        file.startsWith('src/') &&
        file !== 'src/domain/clock.ts' &&
        /\bDate\.now\b|\bnew Date\(\)/.test(withoutComments(textOf(file))),
    )
    assert.deepEqual(wrong, [], 'take a Clock, or nowMs')
  })

  test('no file imports itself by a circle', () => {
    assert.deepEqual(circles(), [], 'move what both need into a third file, or pass it in')
  })

  test('no barrels, and no folder that is named for nothing', () => {
    assert.deepEqual(
      files.filter((file) => /^index\.[a-z]+$/.test(basename(file))),
      [],
      'import the file that declares the thing',
    )
    assert.deepEqual(
      files.filter((file) =>
        dirname(file)
          .split('/')
          .some((folder) => namelessFolders.includes(folder)),
      ),
      [],
      'name the folder for the one thing inside it',
    )
  })
})

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}

function roomOf(file: string): string {
  return /^src\/domain\/([^/]+)\//.exec(file)?.[1] ?? ''
}

function surfaceOf(file: string): string {
  return /^src\/surfaces\/([^/]+)\//.exec(file)?.[1] ?? ''
}

function inWords({ from, to }: Import): string {
  return `${from} imports ${to}`
}
