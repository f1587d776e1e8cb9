import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { circles, files, type Import, imports, textOf } from './support/source-imports.ts'

const root = join(import.meta.dirname, '..')

/** The folders of src/domain/. Each may import those to its left. */
const domainFolders = [
  'audit',
  'operators',
  'accounts',
  'applications',
  'authorization',
  'bots',
  'webhooks',
  'subscriptions',
  'profile',
  'people',
]
const modulesWithoutIo = ['node:async_hooks', 'node:crypto', 'node:util']
const namelessFolders = ['utils', 'util', 'helpers', 'common', 'shared', 'lib', 'services', 'misc']

/** Maximum lines of TypeScript. Smaller is better: lower a limit once there is less. */
const linesMax = { src: 58_823, test: 47_919 }
/** Maximum decision records, and words in all of them and their list. */
const decisionsMax = { records: 50, words: 10_200 }
/** Maximum words in all other Markdown, code in it included, without examples and clients. */
const wordsMax = 31_841

/** Folders and files with the same rules. */
interface Part {
  of: readonly string[]
  /** Beginnings of the paths that they may import, in addition to their own folder. */
  may: readonly string[]
  fix: string
}

const src = (...names: string[]) => names.map((name) => `src/${name}`)
const ofCli = (...names: string[]) => names.map((name) => `clients/cli/src/${name}.ts`)
const ofRuntimeClient = (...names: string[]) => names.map((name) => `clients/typescript/src/${name}.ts`)

/** The parts of the source, from the top layer down. A file belongs to the part with the longest matching path. */
const parts: readonly Part[] = [
  {
    of: ['src/main.ts'],
    may: ['src/commands/', ...ofCli('run-client'), 'demo/demo.ts'],
    fix: 'src/main.ts only parses the command line; put the work into src/commands/',
  },
  {
    of: ['src/commands/'],
    may: [
      ...src('listeners/', 'service.ts', 'config/', 'storage/', 'http/', 'domain/'),
      ...ofCli('command-line', 'printable', 'request'),
    ],
    fix: 'a command starts the service or works alongside it; put what the service itself does behind src/service.ts',
  },
  {
    of: ['src/listeners/'],
    may: [
      ...src('surfaces/', 'api/operators/', 'api/owners/', 'pages/', 'oauth/', 'http/'),
      ...src('service.ts', 'config/', 'domain/'),
    ],
    fix: 'src/listeners/ only mounts surfaces; pass stores and queue through src/service.ts',
  },
  {
    of: ['src/service.ts'],
    may: src('adapters', 'upkeep/', 'storage/', 'config/', 'domain/'),
    fix: 'src/service.ts wires adapters, stores and the domain; mount HTTP in src/listeners/',
  },
  {
    of: ['src/surfaces/'],
    may: src('pages/', 'oauth/', 'api/engine/', 'api/resources/', 'http/', 'domain/'),
    fix: 'a surface uses src/domain/: let src/service.ts pass in what needs a store, and share code in src/pages/, src/oauth/ or src/http/',
  },
  {
    of: src('pages/', 'oauth/'),
    may: src('http/', 'domain/'),
    fix: 'what surfaces share must not depend on a surface: pass in what it needs',
  },
  {
    of: src('api/operators/', 'api/owners/'),
    may: src('api/resources/', 'api/engine/', 'http/', 'domain/'),
    fix: 'what both APIs use belongs in src/api/resources/ or src/api/engine/; pass in what needs a page or a store',
  },
  {
    of: ['src/api/resources/'],
    may: src('api/engine/', 'http/', 'domain/'),
    fix: 'a resource of both APIs takes what differs as an argument',
  },
  {
    of: ['src/api/engine/'],
    may: src('http/', 'domain/'),
    fix: 'src/api/engine/ knows no operation: pass in what it needs',
  },
  {
    of: ['src/http/'],
    may: ['src/domain/'],
    fix: 'src/http/ must not depend on pages or OAuth: pass in what it needs',
  },
  {
    of: ['src/storage/'],
    may: src('config/', 'domain/'),
    fix: 'src/storage/ implements interfaces of src/domain/: declare what it needs there, or pass it in',
  },
  {
    of: src('storage/sql/', 'storage/queue/'),
    may: src('storage/sql/', 'domain/'),
    fix: 'what both databases share must not depend on either',
  },
  {
    of: src('storage/sqlite/', 'storage/postgres/'),
    may: src('storage/sql/', 'storage/queue/', 'domain/'),
    fix: 'SQLite and PostgreSQL code must not depend on each other',
  },
  {
    of: ['src/adapters-on-demand.ts'],
    may: src('adapters/', 'config/', 'domain/'),
    fix: 'src/adapters-on-demand.ts only creates adapters; src/service.ts uses them',
  },
  {
    of: ['src/adapters/'],
    may: ['src/domain/'],
    fix: 'an adapter implements an interface of src/domain/: declare what it needs there, or pass it in',
  },
  {
    of: src('adapters/mail/', 'adapters/chat/'),
    may: src('pages/', 'domain/'),
    fix: 'mails and chat messages are written like pages; their content comes from src/domain/',
  },
  {
    of: ['src/upkeep/'],
    may: ['src/domain/'],
    fix: 'src/upkeep/ only schedules; src/service.ts passes in what prunes',
  },
  { of: ['src/config/'], may: [], fix: 'src/config/ only reads; pass in what it needs' },
  {
    of: ['src/domain/'],
    may: [],
    fix: `a domain folder may import those to its left in ${domainFolders.join(', ')}, and what all share: declare an interface in the folder and let src/service.ts pass in the implementation`,
  },
  {
    of: ['demo/'],
    may: ['clients/', 'src/commands/', 'src/config/'],
    fix: 'the demo starts the service as a command does and uses it only over HTTP and WebSocket',
  },
  {
    of: ['clients/'],
    may: [],
    fix: 'a client is used outside this repository, so it must not import from here: copy what it needs',
  },
  {
    of: ['clients/cli/'],
    may: [
      ...ofRuntimeClient('back-off', 'options', 'runtime'),
      ...src('commands/closed-output.ts', 'commands/first-signal.ts', 'commands/start-fault.ts'),
      ...src('domain/bots/flows/signature-setting.ts', 'domain/webhooks/signature-scheme.ts'),
    ],
    fix: 'the package @gatehouse/cli contains every file that it imports, so keep the list short, without packages, and fit for Node 20',
  },
]
/** The path of each part, the longest first. */
const places = parts
  .flatMap(({ of, may, fix }) => of.map((path) => ({ path, may, fix })))
  .sort((one, other) => other.path.length - one.path.length)
type Place = (typeof places)[number]

describe('Imports follow the directions in ARCHITECTURE.md', () => {
  for (const place of places) {
    test(`${place.path} imports only what ARCHITECTURE.md allows`, () => {
      const wrong = imports.filter(
        ({ from, to, kind }) => kind === 'own' && placeOf(from) === place && !allows(place, from, to),
      )
      assert.deepEqual(wrong.map(inWords), [], place.fix)
    })
  }

  test('every source file is in a folder that has import rules', () => {
    const free = files.filter((file) => file.startsWith('src/') && placeOf(file) === undefined)
    assert.deepEqual(free, [], 'a new folder in src/ needs a part here and a line in ARCHITECTURE.md')
  })

  test('every folder in src/domain/ has a place in the import order', () => {
    const unordered = files.filter(
      (file) => domainFolderOf(file) !== '' && !domainFolders.includes(domainFolderOf(file)),
    )
    assert.deepEqual(unordered, [], `put the folder into the order ${domainFolders.join(', ')}`)
  })

  test('the domain imports no module that does I/O', () => {
    const wrong = imports.filter(
      ({ from, to, kind }) => from.startsWith('src/domain/') && kind !== 'own' && !modulesWithoutIo.includes(to),
    )
    assert.deepEqual(
      wrong.map(inWords),
      [],
      'declare an interface in the domain and implement it in src/storage/, src/adapters/ or src/http/',
    )
  })

  test('only src/config/ reads the environment', () => {
    const wrong = files.filter(
      (file) => file.startsWith('src/') && !file.startsWith('src/config/') && /\bprocess\.env\b/.test(textOf(file)),
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

  test('no imports are circular', () => {
    assert.deepEqual(circles(), [], 'move what both need into a third file, or pass it in')
  })

  test('no file is a barrel, and no folder has a catch-all name such as utils', () => {
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
      'name the folder after its contents',
    )
  })
})

function placeOf(file: string): Place | undefined {
  return places.find(({ path }) => file.startsWith(path))
}

function allows({ path, may }: Place, from: string, to: string): boolean {
  if (path === 'src/domain/')
    return isShared(to) || domainFolders.indexOf(domainFolderOf(to)) <= domainFolders.indexOf(domainFolderOf(from))
  // A surface, adapter, command or client may import only its own folder and what its part allows.
  const isDivided = (file: string) => /^(src\/(surfaces|adapters|commands)|clients)\//.test(file)
  if (isDivided(from) && folderOf(to) === folderOf(from)) return true
  const own = path === 'src/commands/' && /^src\/commands\/[^/]+\.ts$/.test(to)
  const ours = !isDivided(path) && to.startsWith(path)
  return own || ours || may.some((allowed) => to.startsWith(allowed))
}

/** Returns whether the file belongs to the shared part of the domain, which every domain folder may import. */
function isShared(file: string): boolean {
  return /^src\/domain\/(limits\/)?[^/]+\.ts$/.test(file)
}

describe('The project stays small enough to be read', () => {
  for (const [folder, most] of Object.entries(linesMax)) {
    test(`${folder}/ has at most ${most} lines`, () => {
      const lines = files
        .filter((file) => file.startsWith(`${folder}/`))
        .reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0)
      assert.ok(lines <= most, `${lines} lines`)
    })
  }

  test('there are few decision records, and they are short', () => {
    const documents = globSync('docs/decisions/*.md', { cwd: root })
    const words = wordsIn(documents)
    const said = `${documents.length - 1} records with ${words} words: merge the new one into the chapter it belongs to`
    assert.ok(documents.length - 1 <= decisionsMax.records && words <= decisionsMax.words, said)
  })

  test(`other documents have at most ${wordsMax} words`, () => {
    const documents = globSync(['*.md', '{bench,demo,deploy,docs,src,test}/**/*.md'], {
      cwd: root,
      exclude: ['docs/decisions/*'],
    })
    const words = wordsIn(documents)
    assert.ok(words <= wordsMax, `${words} words: say each thing once, and link to it`)
  })
})

function wordsIn(documents: readonly string[]): number {
  return documents.reduce((sum, file) => sum + (textOf(file).match(/\S+/g) ?? []).length, 0)
}

test('every source file that ARCHITECTURE.md or a note in its folder names exists', () => {
  const notes = globSync(['ARCHITECTURE.md', '{src,test}/**/*.md'], { cwd: root })
  const wrong = notes.flatMap((note) =>
    [...textOf(note).matchAll(/`(?:\.\.\/)*([\w/.-]+\.ts)`/g)]
      .filter(([, name = '']) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))
      .map(([, name]) => `${note} names ${name}`),
  )
  assert.deepEqual(wrong, [])
})

test('every cited decision exists', () => {
  const numbers = globSync('docs/decisions/0*.md', { cwd: root }).map((file) => basename(file).slice(0, 4))
  const others = globSync(['*.md', '{docs,deploy,examples,src,clients}/**/*.{md,mjs,js,py,service,yaml,yml,cfg}'], {
    cwd: root,
    exclude: ['**/node_modules'],
  })
  const wrong = [...files, ...others].flatMap((file) =>
    [...textOf(file).matchAll(/\bdecisions?[\s/*([]+(0\d{3})\b/g)]
      .filter(([, number = '']) => !numbers.includes(number))
      .map(([, number]) => `${file} cites ${number}`),
  )
  assert.deepEqual(wrong, [], 'cite the chapter that has the decision now; docs/decisions/README.md lists them')
})

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
}

function domainFolderOf(file: string): string {
  return isShared(file) ? '' : (/^src\/domain\/([^/]+)\//.exec(file)?.[1] ?? '')
}

/** Returns, for example, `src/surfaces/portal`. */
function folderOf(file: string): string {
  return file
    .split('/')
    .slice(0, file.startsWith('src/') ? 3 : 2)
    .join('/')
}

function inWords({ from, to }: Import): string {
  return `${from} imports ${to}`
}
