// The page of parley serve: an editor on the files of a folder, a language server behind it, and
// beside it every message that passes between the two.

import 'uplot/dist/uPlot.min.css';
import '../style/page.css';

import type { Engine } from '../../src/browser.js';
import { load, shared } from '../../src/load.js';
import { Bridge, takeToken } from './access.js';
import { readConfig, type Config } from './config.js';
import { byId, emptyState } from './dom.js';
import { startConflicts } from './editor/conflict.js';
import { Documents } from './editor/documents.js';
import { offsetOf } from './editor/position.js';
import { closeDocument, startTabs } from './editor/tabs.js';
import { ScratchStore, scratchPath } from './files/scratch.js';
import { FileStore } from './files/store.js';
import { FileTree } from './files/tree.js';
import { startFoot } from './foot/foot.js';
import { Output } from './foot/output.js';
import { problemList } from './foot/problem-list.js';
import { Problems, type Problem } from './foot/problems.js';
import { lineOf } from './frame/notices.js';
import { focusPane, startPanes } from './frame/panes.js';
import { startShortcuts } from './frame/shortcuts.js';
import { startStatus } from './frame/status.js';
import { startTheme } from './frame/theme.js';
import { insist } from './session/insist.js';
import { Link } from './session/link.js';
import { Pill } from './session/pill.js';
import { TrafficPanel } from './traffic/panel.js';

async function start(): Promise<void> {
  startTheme();
  const bridge = new Bridge(takeToken());
  const engine = async (): Promise<Engine> => load(await bridge.request('/parley.wasm', { cache: 'default' }));
  const traffic = new TrafficPanel(() => link?.stats, shared(engine));
  const problems = new Problems();
  const output = new Output(bridge);
  startPanes();
  let link: Link | undefined;

  const pill = new Pill();
  const config = await insist(pill, 'answer from the bridge', () => readConfig(bridge));
  const files = config.root === null ? undefined : new FileStore(bridge, config.root.uri);
  const store = files ?? new ScratchStore();
  const documents = new Documents(store);
  byId('place').textContent = config.root?.name ?? 'scratch document';
  startTabs(documents);
  startConflicts(documents);
  startStatus(documents, config.version);

  const showProblem = async ({ uri, start }: Problem): Promise<void> => {
    const view = (await documents.show(uri))?.view;
    view?.dispatch({ selection: { anchor: offsetOf(view.state.doc, start) }, scrollIntoView: true });
  };
  const foot = startFoot([
    {
      title: 'Problems',
      content: problemList(
        problems,
        (uri) => store.pathOf(uri) ?? uri,
        (problem) => void showProblem(problem),
      ),
    },
    { title: 'Server output', content: output.dom, onShow: () => void output.refresh() },
  ]);
  problems.all.follow((all) => foot.badge(0, all.length === 0 ? '' : String(all.length), all[0]?.severity)); // the worst comes first

  link = new Link(pill, shared(engine), bridge, config, documents, {
    message: (passing) => traffic.record(passing),
    problems: (published) => problems.publish(published),
    began: (id) => void (output.session = id),
    ended: () => {
      traffic.endSession();
      void output.refresh();
    },
    beginning: () => problems.clear(),
  });
  startKeys(documents);
  guardChanges(documents);
  addEventListener('pagehide', () => link?.leave());
  await showFiles(files, documents, config);
}

function startKeys(documents: Documents): void {
  const active = documents.active;
  startShortcuts([
    { key: 'Mod-s', does: 'Save', run: () => active.value && void documents.save(active.value) },
    { key: 'Alt-w', does: 'Close the file', run: () => active.value && closeDocument(active.value, documents) },
    { key: 'F6', does: 'Go to the next pane', run: () => focusPane(1) },
    { key: 'Shift-F6', does: 'Go to the pane before', run: () => focusPane(-1) },
  ]);
}

/** What is not saved is not lost by closing the page, and what others changed is seen on coming back. */
function guardChanges(documents: Documents): void {
  addEventListener('beforeunload', (event) => {
    if (documents.all.some(({ standing }) => standing.value !== 'saved')) event.preventDefault();
  });
  addEventListener('focus', () => void documents.refresh());
  documents.active.follow(() => void documents.refresh());
}

async function showFiles(files: FileStore | undefined, documents: Documents, config: Config): Promise<void> {
  const tree = new FileTree((path) => void documents.showPath(path));
  documents.active.follow((document) => document && (tree.current = document.path));
  byId('list-files').hidden = files === undefined;
  if (files === undefined) {
    tree.show([{ path: scratchPath, directory: false, sizeBytes: 0 }], false);
    await documents.showPath(scratchPath);
    return;
  }
  const list = async (): Promise<void> => {
    try {
      const { entries, isCut } = await files.list();
      tree.show(entries, isCut);
    } catch (error) {
      tree.showNothing('The files cannot be listed', lineOf(error), `The folder is ${config.root!.uri}.`);
    }
  };
  byId('list-files').addEventListener('click', () => void list());
  await list();
}

start().catch((error: unknown) => {
  const line = lineOf(error);
  byId('editors').replaceChildren(
    emptyState('The page could not start', line, 'Open the address that parley serve printed; its token is part of it.'),
  );
  console.error(error);
});
