import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix, sep } from 'node:path'
import { root } from './sources.ts'

/** File contents by path, with `/` as separator. */
export type Files = ReadonlyMap<string, string>

export const compiler = join(root, 'node_modules/typescript/bin/tsc')

/**
 * Compiles the clients to JavaScript and type declarations, with the `tsconfig.json` beside this file. Paths are those
 * of the repository.
 *
 * @throws Error with the compiler's output if it fails.
 */
export function compiledClients(): Files {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-compile-'))
  try {
    const words = [compiler, '-p', import.meta.dirname, '--outDir', folder]
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`The clients do not compile:\n${stdout}${stderr}`)
    const paths = globSync('**/*.{js,ts}', { cwd: folder }).sort()
    return new Map(
      paths.map((path) => [path.split(sep).join(posix.sep), readFileSync(join(folder, path), 'utf8')] as const),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the files of a folder, with paths relative to it. */
export function filesIn(folder: string, files: Files): Files {
  const within = [...files].filter(([path]) => path.startsWith(`${folder}/`))
  return new Map(within.map(([path, text]) => [path.slice(folder.length + 1), text]))
}

/** Returns the files, and the same as CommonJS in the folder `cjs`, for programs that can't import ES modules. */
export async function withCommonJs(files: Files): Promise<Files> {
  const { default: ts } = await import('typescript')
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 }
  const converted = [...files].map(([path, text]) => {
    const code = path.endsWith('.js') ? ts.transpileModule(text, { compilerOptions }).outputText : text
    return [`cjs/${path}`, code] as const
  })
  return new Map([...files, ...converted, ['cjs/package.json', '{"type": "commonjs"}\n']])
}

const specifier = /\b(?:from |import |import\()["']([^"'\n]+)["']/g

/**
 * Returns the entry and all files that it imports, directly or indirectly. Leaves out files that are imported only for
 * their types, which the compiler emits too.
 *
 * @throws Error for an import of a package, which users would have to install.
 */
export function importedFrom(entry: string, files: Files): Files {
  const found = new Map<string, string>()
  const follow = (path: string) => {
    const text = files.get(path)
    if (text === undefined) throw new Error(`${path} is imported, but was not compiled`)
    if (found.has(path)) return
    found.set(path, text)
    for (const [, to = ''] of text.matchAll(specifier)) {
      if (to.startsWith('.')) follow(posix.join(posix.dirname(path), to))
      else if (!to.startsWith('node:')) throw new Error(`${path} imports ${to}, which the package does not contain`)
    }
  }
  follow(entry)
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)))
}
