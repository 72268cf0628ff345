import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { applyTheme } from './theme.svelte';
import { locale } from './words/index.svelte';

document.documentElement.lang = locale.language;
applyTheme();
mount(App, { target: document.body });
