// The entry for workers: as for pages, since both fetch.

export * from './browser.js';
